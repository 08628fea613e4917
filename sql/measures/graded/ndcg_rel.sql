-- measure: nDCG_rel
-- title: Normalised discounted cumulative gain averaged over the relevant documents
-- trec_eval: ndcg_rel.gains
-- parameters:
--   gains varchar = null            explicit gains, as '1=0.5,2=1'; a grade not listed is worth 0, or
--                                   itself where the list ends in ,*; without them the grade
-- definition: Mean over the documents with a positive gain of DCG / ideal DCG, both down to the document's rank; down to
--    the end for documents not retrieved. 0 if there are none or the sum is negative.
-- reference: Buckley, trec_eval, measure ndcg_rel, which calls it experimental
-- differs: trec_eval sorts fractional gains as if they were integers. Without ties: no value over all orders of tied
--    documents is known for it in closed form.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: graded nDCG_rel = 0.4830
with gained as (
    select
        evaluation_id,
        rank,
        gain,
        sum(gain * ln(2) / ln(rank + 1)) over (
            partition by evaluation_id
            order by rank
            rows between unbounded preceding and current row
        ) as dcg
    from gained_ranks(gains := $gains)
),
ideal as (
    select
        qrels_id,
        topic_id,
        max(length) as length,
        max(idcg) as idcg
    from ideal_progress(gains := $gains)
    group by qrels_id, topic_id
),
retrieved_sums as (
    select
        evaluated.evaluation_id as evaluation_id,
        sum(gained.dcg / ideal_progress.idcg) as total,
        count(*) as num_found
    from evaluated
    join ideal
        on ideal.qrels_id = evaluated.qrels_id
        and ideal.topic_id = evaluated.topic_id
    join gained on gained.evaluation_id = evaluated.evaluation_id
    join ideal_progress(gains := $gains) as ideal_progress
        on ideal_progress.qrels_id = evaluated.qrels_id
        and ideal_progress.topic_id = evaluated.topic_id
        and ideal_progress.rank = least(gained.rank, ideal.length)
    where gained.gain > 0
    group by evaluated.evaluation_id
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    coalesce(
        greatest(
            (
                coalesce(retrieved_sums.total, 0)
                + (ideal.length - coalesce(retrieved_sums.num_found, 0)) * cumulated_gains.total / ideal.idcg
            ) / ideal.length,
            0
        ),
        0
    ) as value
from evaluated
left join ideal
    on ideal.qrels_id = evaluated.qrels_id
    and ideal.topic_id = evaluated.topic_id
left join retrieved_sums on retrieved_sums.evaluation_id = evaluated.evaluation_id
left join cumulated_gains(gains := $gains) as cumulated_gains
    on cumulated_gains.evaluation_id = evaluated.evaluation_id

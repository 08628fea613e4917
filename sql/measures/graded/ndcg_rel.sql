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
with ideal as (
    select
        qrels_id,
        topic_id,
        max(rank) as length,
        max(idcg) as idcg
    from ideal_progress(gains := $gains)
    group by qrels_id, topic_id
),
found as (
    select
        evaluation_id,
        sum(dcg / idcg) as total,
        count(*) as num_found
    from gain_progress(gains := $gains)
    where gain > 0
    group by evaluation_id
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    coalesce(
        greatest(
            (
                coalesce(found.total, 0)
                + (ideal.length - coalesce(found.num_found, 0)) * cumulated_gains.total / ideal.idcg
            ) / ideal.length,
            0
        ),
        0
    ) as value
from evaluated
left join ideal
    on ideal.qrels_id = evaluated.qrels_id
    and ideal.topic_id = evaluated.topic_id
left join found on found.evaluation_id = evaluated.evaluation_id
left join cumulated_gains(gains := $gains) as cumulated_gains
    on cumulated_gains.evaluation_id = evaluated.evaluation_id

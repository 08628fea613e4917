-- measure: nDCG_rel
-- title: Normalised discounted cumulative gain averaged over the relevant documents
-- trec_eval: ndcg_rel.gains
-- parameters:
--   gains varchar = null            explicit gains, as '1=0.5,2=1'; a grade not listed is worth 0, or
--                                   itself where the list ends in ,*; without them the grade
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                   the worst, the best or what is expected over all orders; not known (null)
--                                   where gains are tied and, by gains below 0, some order has a DCG below 0
-- definition: Mean over the documents with a positive gain of DCG / ideal DCG, both down to the document's rank; down to
--    the end for documents not retrieved. 0 if there are none or the sum is negative.
-- reference: Buckley, trec_eval, measure ndcg_rel, which calls it experimental
-- differs: trec_eval sorts fractional gains as if they were integers.
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
        evaluated.evaluation_id as evaluation_id,
        sum(gained_dcgs.dcg / ideal_progress.idcg) as total,
        sum(gained_dcgs.share) as num_found
    from evaluated
    join ideal
        on ideal.qrels_id = evaluated.qrels_id
        and ideal.topic_id = evaluated.topic_id
    join gained_dcgs(gains := $gains, ties := $ties) as gained_dcgs
        on gained_dcgs.evaluation_id = evaluated.evaluation_id
    join ideal_progress(gains := $gains) as ideal_progress
        on ideal_progress.qrels_id = evaluated.qrels_id
        and ideal_progress.topic_id = evaluated.topic_id
        and ideal_progress.rank = least(gained_dcgs.rank, ideal.length)
    group by evaluated.evaluation_id
),
unknown as (
    -- Documents with gains go to the top or the bottom of their tie as long as no DCG is below 0, not else.
    select distinct progress.evaluation_id
    from gain_progress(gains := $gains, ties := 'worst') as progress
    join judged_ranks on judged_ranks.evaluation_id = progress.evaluation_id
    join grade_gains(gains := $gains) as grade_gains on grade_gains.grade = judged_ranks.grade
    where
        $ties <> 'rule'
        and progress.dcg < 0
        and grade_gains.gain <> 0
        and judged_ranks.first_rank < judged_ranks.last_rank
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    case
        when unknown.evaluation_id is null
        then coalesce(
            greatest(
                (
                    coalesce(found.total, 0)
                    + (ideal.length - coalesce(found.num_found, 0)) * cumulated_gains.total / ideal.idcg
                ) / ideal.length,
                0
            ),
            0
        )
    end as value
from evaluated
left join ideal
    on ideal.qrels_id = evaluated.qrels_id
    and ideal.topic_id = evaluated.topic_id
left join found on found.evaluation_id = evaluated.evaluation_id
left join cumulated_gains(gains := $gains, ties := $ties) as cumulated_gains
    on cumulated_gains.evaluation_id = evaluated.evaluation_id
left join unknown on unknown.evaluation_id = evaluated.evaluation_id

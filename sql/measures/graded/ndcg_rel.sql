-- measure: nDCG_rel
-- title: Normalised discounted cumulative gain averaged over the relevant documents
-- trec_eval: ndcg_rel.gains
-- parameters: gains, ties
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
    from ideal_dcg_by_rank(gains := $gains)
    group by qrels_id, topic_id
),
found as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        sum(gained_dcgs.dcg / ideal_dcg_by_rank.idcg) as total,
        sum(gained_dcgs.share) as num_found
    from evaluated_topics
    join ideal
        on ideal.qrels_id = evaluated_topics.qrels_id
        and ideal.topic_id = evaluated_topics.topic_id
    join gained_dcgs(gains := $gains, ties := $ties) as gained_dcgs
        on gained_dcgs.evaluation_id = evaluated_topics.evaluation_id
    join ideal_dcg_by_rank(gains := $gains) as ideal_dcg_by_rank
        on ideal_dcg_by_rank.qrels_id = evaluated_topics.qrels_id
        and ideal_dcg_by_rank.topic_id = evaluated_topics.topic_id
        and ideal_dcg_by_rank.rank = least(gained_dcgs.rank, ideal.length)
    group by evaluated_topics.evaluation_id
),
unknown as (
    -- Documents with gains go to the top or the bottom of their tie as long as no DCG is below 0, not else.
    select distinct progress.evaluation_id
    from dcg_by_rank(gains := $gains, ties := 'worst') as progress
    join judged_ranks on judged_ranks.evaluation_id = progress.evaluation_id
    join grade_gains(gains := $gains) as grade_gains on grade_gains.grade = judged_ranks.grade
    where
        $ties <> 'rule'
        and progress.dcg < 0
        and grade_gains.gain <> 0
        and judged_ranks.first_rank < judged_ranks.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case
        when unknown.evaluation_id is null
        then coalesce(
            greatest(
                (
                    coalesce(found.total, 0)
                    + (ideal.length - coalesce(found.num_found, 0)) * dcg_totals.total / ideal.idcg
                ) / ideal.length,
                0
            ),
            0
        )
    end as value
from evaluated_topics
left join ideal
    on ideal.qrels_id = evaluated_topics.qrels_id
    and ideal.topic_id = evaluated_topics.topic_id
left join found on found.evaluation_id = evaluated_topics.evaluation_id
left join dcg_totals(gains := $gains, ties := $ties) as dcg_totals
    on dcg_totals.evaluation_id = evaluated_topics.evaluation_id
left join unknown on unknown.evaluation_id = evaluated_topics.evaluation_id

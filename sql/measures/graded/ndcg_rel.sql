-- measure: nDCG_rel
-- title: Normalised discounted cumulative gain averaged over the relevant documents
-- trec_eval: ndcg_rel.gains
-- ties: worst, best, expected = tied_ndcg_rel
-- parameters: gains, ties
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                   the worst, the best or what is expected over all orders; not known (null)
--                                   where gains are tied and, by gains below 0, some order has a DCG below 0
-- definition: Mean over the documents with a positive gain of DCG / ideal DCG, both down to the document's rank; down
--    to the end for documents not retrieved. 0 if there are none or the sum is negative.
-- reference: Buckley, trec_eval, measure ndcg_rel, which calls it experimental
-- differs: trec_eval sorts fractional gains as if they were integers.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it divides by the ideal ranking at each document, and no order of holes is known that is always best
-- scores: no
-- example: graded nDCG_rel = 0.4830
with ideal as (
    select *
    from ideal_cumulated_gains(gains := $gains)
),
ideal_ends as (
    select
        qrels_id,
        topic_id,
        max(rank) as num_gained,
        max(dcg) as dcg
    from ideal
    group by qrels_id, topic_id
),
sums as (
    select
        gained.evaluation_id,
        fsum(case when gained.gain > 0 then gained.dcg / coalesce(ideal.dcg, ideal_ends.dcg) end) as total,
        count(case when gained.gain > 0 then 1 end) as num_found,
        fsum(gained.gain / log2(gained.rank + 1)) as dcg
    from asked_evaluations() as evaluations
    join ideal_ends using (qrels_id, topic_id)
    join running_gains(gains := $gains) as gained using (evaluation_id)
    left join ideal
        on ideal.qrels_id = evaluations.qrels_id
        and ideal.topic_id = evaluations.topic_id
        and ideal.rank = gained.rank
    group by gained.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(
        greatest(
            (coalesce(sums.total, 0) + (ideal_ends.num_gained - sums.num_found) * sums.dcg / ideal_ends.dcg)
                / ideal_ends.num_gained,
            0
        ),
        0
    ) as value
from evaluated_topics
left join ideal_ends using (qrels_id, topic_id)
left join sums using (evaluation_id)

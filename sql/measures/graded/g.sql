-- measure: G
-- title: Gain averages by how far the gains above fall short of the best possible ones
-- trec_eval: G.gains
-- ties: worst, best, expected = tied_g
-- parameters: gains, ties
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                   the worst, the best or what is expected over all orders; not known (null)
--                                   where a tie has more than 1000 sets of documents by their gains; nor worst
--                                   and best where a tied document has a gain below 0; nor what is expected where
--                                   the sets are more than 100000 with those of documents without gain
-- definition: Sum over the documents retrieved of gain / log2(2 + C - S), divided by the sum of all gains of the
--    topic: S is the sum of the gains down to this document, C that of the ideal ranking's, each raised to 1 where it
--    is less.
-- reference: Buckley, trec_eval, measure G, which calls it experimental
-- differs: trec_eval sorts fractional gains as if they were integers.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it divides by the ideal ranking at each document, and no order of holes is known that is always best
-- scores: no
-- example: graded G = 0.3333
with ideal as (
    select *
    from ideal_cumulated_gains(gains := $gains)
),
ideal_ends as (
    select
        qrels_id,
        topic_id,
        max(rank) as num_gained,
        max(cumulated_gain) as total_gain,
        max(cost) as cost
    from ideal
    group by qrels_id, topic_id
),
averages as (
    -- Below the end of the ideal ranking every rank costs 1.
    select
        gained.evaluation_id,
        fsum(
            gained.gain / log2(
                2
                    + coalesce(ideal.cost, ideal_ends.cost + gained.rank - ideal_ends.num_gained)
                    - gained.cumulated_gain
            )
        ) / max(ideal_ends.total_gain) as value
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
    coalesce(averages.value, 0) as value
from evaluated_topics
left join averages using (evaluation_id)

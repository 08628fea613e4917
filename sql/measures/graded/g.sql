-- measure: G
-- title: Gain discounted by how far the gains above fall short of the best possible ones
-- trec_eval: G.gains
-- parameters: gains, ties
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                   the worst, the best or what is expected over all orders; not known (null)
--                                   where a tie has more than 1000 sets of documents by their gains; nor worst
--                                   and best where a tied document has a gain below 0; nor what is expected where
--                                   the sets are more than 100000 with those of documents without gain
-- definition: Sum over the documents retrieved of gain / log2(2 + C - S), divided by the sum of all gains of the topic: S
--    is the sum of the gains down to this document, C that of the ideal ranking's, each raised to 1 where it is less.
-- reference: Buckley, trec_eval, measure G, which calls it experimental
-- differs: trec_eval sorts fractional gains as if they were integers.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: graded G = 0.3333
with found as (
    select
        evaluation_id,
        sum(gain * ln(2) / ln(2 + cost - total_gain)) as total
    from dcg_by_rank(gains := $gains)
    where $ties = 'rule'
    group by evaluation_id
),
over_orders as (
    select
        evaluation_id,
        count(*) - count(total) as num_unknown,
        sum(total) as total
    from gain_orders(gains := $gains, ties := $ties)
    group by evaluation_id
),
ideal as (
    select
        qrels_id,
        topic_id,
        sum(gain) as total
    from ideal_gains(gains := $gains)
    group by qrels_id, topic_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case
        when over_orders.num_unknown > 0 and ideal.total > 0 then null
        else coalesce(coalesce(found.total, over_orders.total) / ideal.total, 0)
    end as value
from evaluated_topics
left join ideal
    on ideal.qrels_id = evaluated_topics.qrels_id
    and ideal.topic_id = evaluated_topics.topic_id
left join found on found.evaluation_id = evaluated_topics.evaluation_id
left join over_orders on over_orders.evaluation_id = evaluated_topics.evaluation_id

-- measure: Cost
-- title: What a topic cost: its latency, its tokens, money, energy or any other number
-- parameters:
--   name varchar = null   which cost, as in latency_ms; null is the only one that is held
-- definition: The number that was loaded for the topic; where only its calls have numbers, their sum. A topic without
--    one has no value, never 0, so that means are over the topics that have one and tests over those that both runs
--    have one for.
-- reference: Scells, Zhuang and Zuccon 2022, Reduce, reuse, recycle: green information retrieval research,
--    doi:10.1145/3477495.3531766
-- differs: None of trec_eval, ranx and ir_measures has costs.
-- range: 0 inf
-- mean: arithmetic
-- holes: none, it is of no judgments
-- better: less
-- scores: no
-- columns:
--   num_calls   calls of the topic that have a number of their own
-- example: costs Cost(name='latency_ms') = 40
with held as (
    select
        min(cost) as first_cost,
        max(cost) as last_cost
    from costs
)
select
    topic_costs.qrels,
    topic_costs.run,
    topic_costs.topic,
    topic_costs.value,
    topic_costs.num_calls
from topic_costs
join held on topic_costs.cost = coalesce($name, case when held.first_cost = held.last_cost then held.first_cost end)

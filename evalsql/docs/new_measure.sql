-- measure: NewMeasure
-- title: How many of the first documents are relevant
-- parameters: rel, depth
--   depth integer in [1, inf) = 10   documents looked at
-- definition: Relevant documents among the first ones, divided by how many are looked at.
-- range: 0 1
-- mean: arithmetic
with found as (
    -- A row for each judged document of each ranking, at its rank.
    select
        evaluation_id,
        count(*) as num_relevant
    from ordered_ranks()
    where grade >= $rel and rank <= $depth
    group by evaluation_id
)
-- A row for each topic that is evaluated, also where nothing is found.
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(found.num_relevant, 0) / cast($depth as double) as value
from evaluated_topics
left join found on found.evaluation_id = evaluated_topics.evaluation_id

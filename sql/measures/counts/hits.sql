-- measure: Hits
-- title: Number of relevant documents at a cutoff
-- ties: expected = expected_hits
-- parameters: k, rel, ties
-- definition: Relevant documents among the first k.
-- reference: Bassani 2022, ranx: a blazing-fast Python library for ranking evaluation and comparison,
--    doi:10.1007/978-3-030-99739-7_30
-- differs: Equal to ranx. NumRelRet is the sum over topics of what this averages.
-- range: 0 inf
-- mean: arithmetic
-- scores: no
-- example: user-models Hits = 2
-- example: user-models Hits@2 = 1
with found as (
    select
        evaluation_id,
        count(*) as num_rel_ret
    from ordered_ranks(ties := $ties)
    where
        grade >= $rel
        and rank <= coalesce($k, rank)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cast(coalesce(found.num_rel_ret, 0) as double) as value
from evaluated_topics
left join found on found.evaluation_id = evaluated_topics.evaluation_id

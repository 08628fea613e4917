-- measure: NumRet
-- title: Number of documents retrieved
-- trec_eval: num_ret
-- parameters:
--   rel integer in [0, inf) = null   least grade of the documents that are counted; null counts all
-- definition: Documents the run has for the topic; summed over topics.
-- reference: Buckley, trec_eval, measure num_ret
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0.
-- range: 0 inf
-- mean: sum
-- holes: none, it does not count grades
-- example: mixed NumRet = 7
with found as (
    select
        evaluation_id,
        count(*) as num_rel_ret
    from asked_ranks()
    where grade >= $rel
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cast(
        case when $rel is null then evaluated_topics.num_ret else coalesce(found.num_rel_ret, 0) end as double
    ) as value
from evaluated_topics
left join found using (evaluation_id)

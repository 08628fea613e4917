-- measure: NumRelRet
-- title: Number of relevant documents retrieved
-- trec_eval: num_rel_ret
-- parameters: rel
-- definition: Relevant documents that the run retrieved; summed over topics.
-- reference: Buckley, trec_eval, measure num_rel_ret
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0.
-- range: 0 inf
-- mean: sum
-- holes: num_rel_ret_bounds
-- example: mixed NumRelRet = 2
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
    cast(coalesce(found.num_rel_ret, 0) as double) as value
from evaluated_topics
left join found using (evaluation_id)

-- measure: NumNonrelRet
-- title: Number of documents retrieved that are judged not relevant
-- trec_eval: num_nonrel_judged_ret
-- parameters: rel
-- definition: Documents retrieved with a grade from 0 to below rel; summed over topics.
-- reference: Buckley, trec_eval, measure num_nonrel_judged_ret
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0.
-- range: 0 inf
-- mean: sum
-- holes: num_nonrel_ret_bounds
-- better: less
-- scores: no
-- example: mixed NumNonrelRet = 2
with found as (
    select
        evaluation_id,
        count(*) as num_nonrel_ret
    from asked_ranks()
    where
        grade >= 0
        and grade < $rel
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cast(coalesce(found.num_nonrel_ret, 0) as double) as value
from evaluated_topics
left join found using (evaluation_id)

-- title: How many documents each ranking holds, or how many judged ones
-- parameters: judged_only
-- columns: evaluation_id
--   num_ret   documents retrieved; there is no row where there are none
select
    evaluations.evaluation_id as evaluation_id,
    run_topics.num_ret as num_ret
from asked_evaluations() as evaluations
join run_topics using (run_id, topic_id)
where not $judged_only
union all
select
    evaluation_id,
    count(*) as num_ret
from asked_ranks()
where
    grade >= 0
    and $judged_only
group by evaluation_id

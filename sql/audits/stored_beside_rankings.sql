-- title: Runs that have stored scores and rankings
-- quick: yes
-- columns: finding
--   num_rows   stored scores of the run
-- definition: A run's figures are computed from its rankings, or they are stored; two of one figure would both be shown.
with ranked_runs as (
    select run_id
    from evaluations
    union
    select run_id
    from run_topics
),
stored as (
    select run_id
    from stored_scores
    union all
    select run_id
    from collection_scores
)
select
    concat('run ', coalesce(min(runs.run), concat('#', stored.run_id)), ' has stored scores and rankings')
        as finding,
    count(*) as num_rows
from stored
join ranked_runs using (run_id)
left join runs using (run_id)
group by stored.run_id

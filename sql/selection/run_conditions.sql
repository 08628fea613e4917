-- title: In what runs of one judgment set differ beside what they retrieved: their depth, and how they were loaded
-- inputs: covered
-- columns: qrels
--   condition   depth, tie_rule, judged_by or collapse
--   value       its value, in words
--   runs        names of the runs that have it
-- definition: Depth is the number of documents of a run's longest topic, of runs not cut to judged documents. It is
--     told where the greatest is more than a tenth above the least. Runs with stored scores alone are left out.
with depths as (
    select
        run_id,
        max(num_ret) as depth
    from run_topics
    group by run_id
),
held as (
    select
        covered.qrels,
        runs.run,
        runs.tie_rule,
        runs.judged_by,
        runs.meta['collapse'] as collapse,
        depths.depth
    from covered
    join runs on runs.run = covered.run
    join depths on depths.run_id = runs.run_id
),
conditions as (
    select
        qrels,
        run,
        'depth' as condition,
        cast(depth as varchar) as value,
        depth
    from held
    where judged_by is null
    union all
    select
        qrels,
        run,
        'tie_rule' as condition,
        tie_rule as value,
        null as depth
    from held
    union all
    select
        qrels,
        run,
        'judged_by' as condition,
        coalesce(judged_by, 'none') as value,
        null as depth
    from held
    union all
    select
        qrels,
        run,
        'collapse' as condition,
        coalesce(collapse, 'none') as value,
        null as depth
    from held
)
select
    qrels,
    condition,
    value,
    list(run order by run) as runs
from conditions
group by qrels, condition, value
qualify
    count(*) over (partition by qrels, condition) > 1
    and (
        condition <> 'depth'
        or 10 * max(max(depth)) over (partition by qrels, condition)
        > 11 * min(min(depth)) over (partition by qrels, condition)
    )
order by qrels, condition, max(depth) desc, value

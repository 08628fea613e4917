-- title: What is to be said of runs of one judgment set that differ in their depth, or in how they were loaded
-- inputs: covered
-- columns:
--   place    1 for the first line
--   remark   a line on a condition, with each value of it and the runs that have this
-- definition: Conditions are depth, length of results, tie_rule, judged_by and collapse. Depth is the number of documents
--     of a run's longest topic, of runs not cut to judged documents. The length of results is a mean over retrieved spans:
--     the same number of longer ones holds more text. Both are told where the greatest is more than a tenth above the
--     least. Runs with stored scores alone are left out.
with depths as (
    select
        run_id,
        max(num_ret) as depth
    from run_topics
    group by run_id
),
lengths as (
    select
        run_id,
        avg(span_end - span_start) as span_length
    from retrieved_spans
    group by run_id
),
held as (
    select
        covered.qrels,
        runs.run,
        runs.tie_rule,
        runs.judged_by,
        runs.meta['collapse'] as collapse,
        depths.depth,
        lengths.span_length,
        runs.meta['unit'] as unit
    from covered
    join runs using (run)
    join depths using (run_id)
    left join lengths using (run_id)
),
conditions as (
    select qrels, run, 'depth' as condition, cast(depth as varchar) as value, depth as size
    from held
    where judged_by is null
    union all
    select
        qrels,
        run,
        'length of results' as condition,
        format('{:.0f} {}', span_length, unit) as value,
        span_length as size
    from held
    where span_length is not null
    union all
    select qrels, run, 'tie_rule' as condition, tie_rule as value, null as size
    from held
    union all
    select qrels, run, 'judged_by' as condition, coalesce(judged_by, 'none') as value, null as size
    from held
    union all
    select qrels, run, 'collapse' as condition, coalesce(collapse, 'none') as value, null as size
    from held
),
differing as (
    select
        qrels,
        condition,
        value,
        max(size) as most,
        list(run order by run) as runs
    from conditions
    group by qrels, condition, value
    qualify
        count(*) over (partition by qrels, condition) > 1
        and (
            condition not in ('depth', 'length of results')
            or 10 * max(max(size)) over (partition by qrels, condition)
            > 11 * min(min(size)) over (partition by qrels, condition)
        )
),
told as (
    select
        qrels,
        condition,
        list(concat(value, ' (', first_names(runs), ')') order by most desc, value) as told
    from differing
    group by qrels, condition
)
select
    row_number() over (order by qrels, condition) as place,
    concat(
        '  ', qrels, ': runs differ in ', condition, ', so figures may differ: ', first_names(told)
    ) as remark
from told

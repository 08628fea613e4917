-- title: Runs as loads of a system: which version of it, and when
-- columns: run_id, run
--   system     the system that it is a load of, as --system or the meta key system gave it; null for none
--   version    version of that system, as --version or the meta key version gave it
--   dated_at   the date that --date or the meta key date gave, else when the run was loaded; in UTC
-- definition: A date may end with its offset from UTC, as in 2026-10-02T23:00-05:00. What is no date counts as none.
with given as (
    select
        run_id,
        run,
        meta['system'] as system,
        meta['version'] as version,
        rtrim(meta['date'], 'Z') as date_given,
        -- What the engine makes of an offset is not the same in all of its versions.
        regexp_extract(meta['date'], ':\d{2}.*?([+-]\d{2}:?\d{2})$', 1) as zone,
        loaded_at
    from runs
),
parts as (
    select
        given.*,
        try_cast(left(date_given, len(date_given) - len(zone)) as timestamp) as local_time,
        case left(zone, 1) when '-' then 1 when '+' then -1 end
        * (60 * try_cast(substr(zone, 2, 2) as integer) + try_cast(right(zone, 2) as integer)) as minutes_to_utc
    from given
)
select
    run_id,
    run,
    system,
    version,
    coalesce(local_time + to_minutes(coalesce(minutes_to_utc, 0)), loaded_at) as dated_at
from parts

-- title: The runs that are asked for, the latest of each system first
-- inputs: chosen
-- parameters:
--   before varchar = null   a run: only those dated before it, of its collection and, if it is of one, its system; null is all
-- columns: run_id, run
--   system       the system that it is a load of; null for none
--   collection   the collection that the run's meta says; null for none
--   dated_at     when, as run_versions has it
--   place        1 for the latest of its system; runs without a system are placed together
--   later_run    the run just after it in these places; null for none, and of runs without a system
-- definition: By date, and of runs of the same date by the order of loading. Where the meta of runs says their collection,
--    a system has places on each.
with versions as (
    select
        run_versions.run_id,
        run_versions.run,
        run_versions.system,
        runs.meta['collection'] as collection,
        run_versions.dated_at
    from run_versions
    join runs using (run_id)
)
select
    versions.run_id,
    versions.run,
    versions.system,
    versions.collection,
    versions.dated_at,
    row_number() over latest_first as place,
    case when versions.system is not null then lag(versions.run) over latest_first end as later_run
from versions
join chosen using (run_id)
where
    $before is null
    or exists(
        select 1
        from versions as later
        where
            later.run = $before
            and later.collection is not distinct from versions.collection
            and coalesce(later.system, versions.system, '') = coalesce(versions.system, '')
            and (versions.dated_at, versions.run_id) < (later.dated_at, later.run_id)
    )
window latest_first as (
    partition by versions.system, versions.collection
    order by versions.dated_at desc, versions.run_id desc
)

-- title: What is kept with all runs of a system and version, for a page to filter by
-- columns: system, version
--   key       key of meta
--   value     its value, which all of the runs have that have the key
with entries as (
    select
        coalesce(run_versions.system, runs.run) as system,
        run_versions.version,
        unnest(map_entries(runs.meta), max_depth := 2)
    from runs
    join run_versions using (run_id)
)
select
    system,
    version,
    key,
    any_value(value) as value
from entries
where key not in ('system', 'version', 'date', 'collection')
group by system, version, key
having count(distinct value) = 1
order by system, version, key

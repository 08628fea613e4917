-- title: The runs that are asked for, the latest of each system first
-- inputs: chosen
-- columns: run
--   system       the system that it is a load of; null for none
--   collection   the collection that the run's meta says; null for none
--   place        1 for the latest of its system; runs without a system are placed together
-- definition: By date, and of runs of the same date by the order of loading. Where the meta of runs says their collection,
--    a system has places on each.
select
    run_versions.run,
    run_versions.system,
    runs.meta['collection'] as collection,
    row_number() over (
        partition by run_versions.system, runs.meta['collection']
        order by run_versions.dated_at desc, run_versions.run_id desc
    ) as place
from chosen
join run_versions on run_versions.run_id = chosen.run_id
join runs on runs.run_id = chosen.run_id

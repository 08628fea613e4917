-- title: The runs that are asked for, the latest of each system first
-- inputs: chosen
-- columns:
--   run      run
--   system   the system that it is a load of; null for none
--   place    1 for the latest of its system; runs without a system are placed together
-- definition: By date, and of runs of the same date by the order of loading.
select
    run_versions.run,
    run_versions.system,
    row_number() over (
        partition by run_versions.system
        order by run_versions.dated_at desc, run_versions.run_id desc
    ) as place
from chosen
join run_versions on run_versions.run_id = chosen.run_id

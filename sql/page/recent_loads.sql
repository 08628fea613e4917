-- title: The means of the loads of each system, with the place of each load from the newest
-- inputs: shown_history
-- columns: system, run, version, measure, value
--   dated_at     date of the run, in UTC
--   difference   mean less that of the load before
--   place        place among the loads of the system from 1 for the newest; of the same date the later name is newer
-- definition: The input has the rows of history that are shown.
select
    system,
    run,
    version,
    dated_at,
    measure,
    value,
    difference,
    dense_rank() over (
        partition by system
        order by dated_at desc, run desc
    ) as place
from shown_history

-- title: Runs as loads of a system: which version of it, and when
-- columns:
--   run_id     key of the run
--   run        run
--   system     the system that it is a load of, as --system or the meta key system gave it; null for none
--   version    version of that system, as --version or the meta key version gave it
--   dated_at   the date that --date or the meta key date gave, else when the run was loaded; in UTC
select
    run_id,
    run,
    meta['system'] as system,
    meta['version'] as version,
    coalesce(try_cast(meta['date'] as timestamp), loaded_at) as dated_at
from runs

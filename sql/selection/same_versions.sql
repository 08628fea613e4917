-- title: Runs of the same system and version as a run of a pair, on whatever collection
-- parameters:
--   candidate varchar = null   run that is judged
--   reference varchar = null   run that it is compared with
-- columns: run
select distinct alike.run
from run_versions as alike
join run_versions as meant
    on meant.run = alike.run
    or (meant.system = alike.system and meant.version is not distinct from alike.version)
where meant.run in ($candidate, $reference)

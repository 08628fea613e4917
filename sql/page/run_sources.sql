-- title: The files that runs were loaded from
-- inputs: chosen_runs
-- columns: run
--   tag               tag in the file
--   tie_rule          how its tied documents are ordered
--   file              file that it was loaded from; null for rows from memory
--   sha256            checksum of the file
--   num_rows          rows of the file
--   loaded_at         when it was loaded
--   evalsql_version   version that loaded it
select
    runs.run,
    runs.tag,
    runs.tie_rule,
    files.file,
    files.sha256,
    files.num_rows,
    runs.loaded_at,
    runs.evalsql_version
from runs
join chosen_runs using (run)
left join files
    on files.kind = 'run'
    and files.id = runs.run_id

-- title: Rows of the table files for the files of staged scores
-- inputs: staged_runs
-- columns:
--   kind       run
--   id         key of the run
--   file       path
--   sha256     checksum
--   bytes      size
--   num_rows   how many rows are of the run
select distinct
    'run' as kind,
    runs.run_id as id,
    staged_runs.path as file,
    staged_runs.sha256,
    staged_runs.bytes,
    staged_runs.num_rows
from staged_runs
join runs using (run)
where not exists (
    select 1
    from files
    where
        files.kind = 'run'
        and files.id = runs.run_id
        and files.file = staged_runs.path
)
order by id, file

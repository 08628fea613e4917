-- title: Rows of the table files for the files of staged results
-- inputs: result_values, staged_files
-- columns:
--   kind       run
--   id         key of the run
--   file       path
--   sha256     checksum
--   bytes      size
--   num_rows   how many values are of the run
select
    'run' as kind,
    runs.run_id as id,
    staged_files.label as file,
    staged_files.sha256,
    staged_files.bytes,
    count(*) as num_rows
from result_values
join staged_files on staged_files.file = result_values.file
join runs on runs.run = result_values.run
group by runs.run_id, staged_files.label, staged_files.sha256, staged_files.bytes
order by runs.run_id, staged_files.label

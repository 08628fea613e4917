-- title: The files that rankings made of calls came from, as the base table files has them
-- inputs: listed_runs, listed_topics
-- columns:
--   kind       run
--   id         key of the ranking
--   file       file of its run
--   sha256     SHA-256 of the file
--   bytes      size of the file
--   num_rows   rows in it that the ranking has, each document of a topic once
with kept as (
    select
        run_id,
        sum(num_ret) as num_rows
    from listed_topics
    group by run_id
)
select
    files.kind,
    listed_runs.list_id as id,
    files.file,
    files.sha256,
    files.bytes,
    kept.num_rows
from listed_runs
join files
    on files.kind = 'run'
    and files.id = listed_runs.run_id
join kept on kept.run_id = listed_runs.list_id
where listed_runs.has_calls

-- title: What is to be said of runs that go by their ranks, where these repeat
-- inputs: staged, staged_files
-- columns:
--   place    1 for the first line
--   remark   a line on a run; of many only the first ones
-- definition: Documents with the rank and the score of another one of their topic, or of its call, which only names tell
--     apart.
with tied as (
    select
        staged_files.owner_id,
        count(*) as num_documents
    from staged
    join staged_files using (file_id)
    group by staged_files.owner_id, staged.topic, staged.call, staged.given_rank, staged.score
    having count(*) > 1
),
runs_told as (
    select
        runs.run,
        sum(tied.num_documents) as num_documents,
        row_number() over (order by runs.run) as place
    from tied
    join runs on runs.run_id = tied.owner_id
    group by runs.run
)
select
    place,
    concat(
        run, ': ', format('{:,}', cast(num_documents as bigint)),
        ' documents have the rank and the score of another one of their topic, so that their names decide the order'
    ) as remark
from runs_told
where place <= 3
union all
select
    4 as place,
    format('... and {:,} more runs in which ranks repeat', count(*)) as remark
from runs_told
where place > 3
having count(*) > 0

-- title: What is to be said of new runs or judgment sets whose file is held under another name as well
-- inputs: new_ids
-- parameters:
--   kind varchar in {run, qrels} = run   which of both
-- columns:
--   place    1 for the first line
--   remark   a line on a file, with its name and the first one of the others; of many files only the first ones
-- definition: Files are the same where their SHA-256 is. Judgments that newer ones have replaced are left out.
with named as (
    select 'run' as kind, run_id as id, run as name
    from runs
    union all
    select 'qrels' as kind, qrels_id as id, qrels as name
    from qrels
    where replaced_at is null
),
repeated as (
    select
        new_files.file,
        named.name,
        min(others.name) as other,
        row_number() over (order by named.name, min(others.name)) as place
    from new_ids
    join files as new_files
        on new_files.id = new_ids.id
        and new_files.kind = $kind
    join named
        on named.id = new_files.id
        and named.kind = $kind
    join files as held
        on held.sha256 = new_files.sha256
        and held.kind = $kind
        and held.id < new_files.id
    join named as others
        on others.id = held.id
        and others.kind = $kind
    group by new_files.file, named.name
)
select
    place,
    concat(file, ': is loaded as ', name, ', and the same file was loaded as ', other, ' before') as remark
from repeated
where place <= 5
union all
select
    6 as place,
    concat(count(*), ' more files were loaded before under another name') as remark
from repeated
where place > 5
having count(*) > 0

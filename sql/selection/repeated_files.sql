-- title: New runs or judgment sets whose file is held under another name as well
-- inputs: new_ids
-- parameters:
--   kind varchar in {run, qrels} = run   which of both
-- columns:
--   file    the file as it was given
--   name    name of the run or judgment set
--   other   the other name, the first one if there are several
-- definition: Files are the same where their SHA-256 is. Judgments that newer ones have replaced are left out.
with named as (
    select 'run' as kind, run_id as id, run as name
    from runs
    union all
    select 'qrels' as kind, qrels_id as id, qrels as name
    from qrels
    where replaced_at is null
)
select
    new_files.file,
    named.name,
    min(others.name) as other
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

-- title: How what is kept with runs and judgments was changed, one row for each key and change
-- columns:
--   kind              run or qrels
--   name              name of the run or judgment set
--   key               key of meta
--   old_value         its value before; null where it had none
--   new_value         its value since; null where it was taken out
--   changed_at        when it was changed, in UTC
--   evalsql_version   version of the program that changed it
with owners as (
    select
        'run' as kind,
        run_id as id,
        run as name
    from runs
    union all
    select
        'qrels' as kind,
        qrels_id as id,
        qrels as name
    from qrels
)
select
    owners.kind,
    owners.name,
    meta_changes.key,
    meta_changes.old_value,
    meta_changes.new_value,
    meta_changes.changed_at,
    meta_changes.evalsql_version
from meta_changes
join owners using (kind, id)

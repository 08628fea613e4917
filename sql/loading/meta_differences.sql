-- title: What changes where meta is annotated
-- inputs: owners, wanted
-- columns:
--   id          key of the run or judgment set
--   key         key of meta
--   old_value   its value before; null where it had none
--   new_value   its value since; null where it is taken out
select
    owners.id,
    wanted.key,
    owners.meta[wanted.key] as old_value,
    wanted.value as new_value
from owners
cross join wanted
where owners.meta[wanted.key] is distinct from wanted.value

-- title: How far a version of a system is below another one over collections, of rules of a gate about a board
-- inputs: gate_rules
-- parameters:
--   candidate varchar = null   run that is judged
--   reference varchar = null   run that it is compared with
-- columns:
--   place            place of the rule
--   value            the drop of the mean over collections, or the largest drop on one; null where no collection has both
--   reference_mean   mean of the reference over the collections that both have
--   candidate_mean   mean of the run
--   collection       collection with the largest drop
--   lacking          collections on which the reference has a value and the run has none
-- definition: The system and version of each run, with all that board_values has of them; each collection weighs the
--     same. A drop is known on the collections alone that both have, so one whose run was lost would pass unseen.
with drops as (
    select
        gate_rules.place,
        gate_rules.kind,
        before.collection,
        after.collection as after_collection,
        case when after.collection is not null then before.value end as before_value,
        after.value as after_value,
        case when gate_rules.less_is_better then after.value - before.value else before.value - after.value end as loss
    from gate_rules
    join run_versions as old on old.run = $reference
    join run_versions as new on new.run = $candidate
    join board_values as before
        on before.measure = gate_rules.measure
        and before.system = coalesce(old.system, old.run)
        and before.version is not distinct from old.version
    left join board_values as after
        on after.measure = gate_rules.measure
        and after.collection = before.collection
        and after.system = coalesce(new.system, new.run)
        and after.version is not distinct from new.version
    where gate_rules.kind in ('board', 'collection')
)
select
    place,
    case any_value(kind)
        when 'board' then sum(loss order by collection) / count(after_collection)
        else max(loss)
    end as value,
    avg(before_value order by collection) as reference_mean,
    avg(after_value order by collection) as candidate_mean,
    arg_max(collection, loss) as collection,
    list(collection) filter (where after_collection is null) as lacking
from drops
group by place

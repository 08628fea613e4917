-- title: Collections on which a gate's reference has a value, and its candidate has none
-- inputs: gate_rules
-- parameters:
--   candidate varchar = null   run that is judged
--   reference varchar = null   run that it is compared with
-- columns:
--   collection   collection that the candidate lacks by a measure of a rule about a board
-- definition: The system and version of each run, with all that board_values has of them. A drop is known on the
--     collections alone that both have, so one whose run was lost would pass unseen.
select distinct before.collection
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
where
    gate_rules.kind in ('board', 'collection')
    and after.collection is null

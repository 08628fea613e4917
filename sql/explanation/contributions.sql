-- title: What each document of a list contributes to a measure: the value of the list down to it, less that above it
-- inputs: cut_lists, answered
-- columns:
--   list           name of the list
--   topic          topic
--   rank           rank in the list; 0 stands for the empty list
--   value          value of the list cut after that rank
--   contribution   that less the value of the list cut before it; 0 where they differ by no more than 1e-14 of
--                  either, which is rounding; for the empty list its value
with cut_values as (
    select
        cut_lists.list,
        cut_lists.num_kept,
        answered.topic,
        answered.value
    from cut_lists
    join answered using (run)
)
select
    after.list,
    after.topic,
    after.num_kept as rank,
    after.value,
    case
        when before.num_kept is null then after.value
        when abs(after.value - before.value) <= 1e-14 * greatest(abs(after.value), abs(before.value)) then 0
        else after.value - before.value
    end as contribution
from cut_values as after
left join cut_values as before
    on before.list = after.list
    and before.topic = after.topic
    and before.num_kept = after.num_kept - 1
where
    before.num_kept is not null
    or after.num_kept = 0

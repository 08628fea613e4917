-- title: What each of a ranking's first documents contributes: the value of the list down to it less that above it
-- inputs: prefix_keys, prefix_values
-- columns:
--   run            run
--   topic          topic
--   rank           rank of the document
--   contribution   what it contributes; 0 where the values differ by no more than 1e-14 of either, which is rounding
with cut_values as (
    select
        prefix_keys.run,
        prefix_keys.topic,
        prefix_keys.num_kept,
        prefix_values.value
    from prefix_keys
    join prefix_values
        on prefix_values.run = prefix_keys.name
        and prefix_values.topic = prefix_keys.topic
)
select
    down_to.run,
    down_to.topic,
    down_to.num_kept as rank,
    case
        when abs(down_to.value - above.value) <= 1e-14 * greatest(abs(down_to.value), abs(above.value)) then 0
        else down_to.value - above.value
    end as contribution
from cut_values as down_to
join cut_values as above
    on above.run = down_to.run
    and above.topic = down_to.topic
    and above.num_kept = down_to.num_kept - 1

-- title: The levels of recall that are asked for, each by itself or several in a text
-- parameters: points
-- columns:
--   recall   a level of recall
with recursive split as (
    select
        cast(null as varchar) as head,
        cast(value as varchar) || ',' as tail
    from given_values(given := $points)
    union all
    select
        substring(tail, 1, position(',' in tail) - 1) as head,
        substring(tail, position(',' in tail) + 1) as tail
    from split
    where length(tail) > 0
)
select cast(head as double) as recall
from split
where length(head) > 0

-- title: How likely a reader comes to a place, each place being multiplied from the one above
-- parameters: p
-- columns:
--   place    place in a ranking, down to where the weight is below 1e-40
--   weight   p^(place - 1)
with recursive weights as (
    select
        1 as place,
        cast(1 as double) as weight
    union all
    select
        place + 1 as place,
        weight * $p as weight
    from weights
    where weight > 1e-40
)
select
    place,
    weight
from weights

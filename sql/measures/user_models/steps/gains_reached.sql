-- title: The gain of each document retrieved that has one, and how likely the reader comes to it
-- parameters: min_rel, max_rel, depth, ties in {rule, worst, best}
-- columns: evaluation_id
--   rank      its rank
--   gain      its gain, between 0 and 1: how likely the reader stops at it
--   reached   how likely the reader stops at none above it: the product of 1 - gain over them
select
    evaluation_id,
    rank,
    gain,
    coalesce(
        product(1 - gain) over (
            partition by evaluation_id
            order by rank
            rows between unbounded preceding and 1 preceding
        ),
        1
    ) as reached
from scaled_gains(min_rel := $min_rel, max_rel := $max_rel, ties := $ties)
where rank <= coalesce($depth, 2147483647)

-- title: How many holes a reader comes to at most who stops at documents, where all holes are worth most
-- inputs: hole_weights
-- columns:
--   num_holes   holes; all but one reader of 10^20 stop at one of them
-- definition: A ranking with one document, the first, has a value no greater than how likely the reader stops there.
select
    cast(
        max(
            coalesce(
                least(ceil(ln(1e-20) / nullif(ln(greatest(1 - greatest, 1e-20)), 0)), 2147483647),
                2147483647
            )
        ) as integer
    ) as num_holes
from hole_weights

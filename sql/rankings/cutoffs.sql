-- title: The rank cutoffs that are asked for
-- parameters: k
-- columns:
--   k           rank cutoff; null is the whole ranking
--   last_rank   the same number, or the greatest there is for the whole ranking; being never null it serves in joins
select
    cast(value as integer) as k,
    coalesce(cast(value as integer), 2147483647) as last_rank
from given_values(given := $k)

-- title: The rank cutoffs that are asked for
-- parameters: k
-- columns:
--   k           rank cutoff; null is the whole ranking
--   last_rank   the last rank that it lets in
select
    cast(value as integer) as k,
    coalesce(cast(value as integer), 2147483647) as last_rank
from given_values(given := $k)

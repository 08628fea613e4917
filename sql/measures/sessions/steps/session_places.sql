-- title: The places of an ideal session, the best first: ranks of calls, by what a document is worth there
-- parameters: k, dcg, gains, call_base, rank_base
-- columns:
--   k          rank cutoff
--   place      number of the place from 1
--   discount   what a gain is worth there
with sizes as (
    select coalesce(max(rank), 0) as num_places
    from ideal_gains(dcg := $dcg, gains := $gains, min_rel := 0, max_rel := null)
),
numbers as (
    select rank
    from ideal_gains(dcg := $dcg, gains := $gains, min_rel := 0, max_rel := null)
    group by rank
),
-- All places above a place and before it are better. So a place whose rank times call is more than n is not among the
-- best n.
places as (
    select
        cutoffs.k,
        calls.rank as call,
        ranks.rank,
        1.0
            / (1 + ln(ranks.rank) / ln($rank_base))
            / (1 + ln(calls.rank) / ln($call_base)) as discount
    from numbers as calls
    cross join numbers as ranks
    cross join sizes
    join cutoffs(k := $k) as cutoffs on ranks.rank <= cutoffs.last_rank
    where calls.rank * ranks.rank <= sizes.num_places
)
select
    places.k,
    row_number() over (partition by places.k order by places.discount desc, places.call, places.rank) as place,
    places.discount
from places

-- title: How much a document that two rankings share weighs in rank-biased overlap, and how much is left below a place
-- parameters: p
-- columns:
--   place    a place, from 0 down to where no two rankings go or nothing is left
--   shared   weight of a document that both have from this place on: (1 - p) times the sum of p^(d - 1) / d from here
--   below    weight of what is below this place in two rankings whose documents above it are all different:
--            p^place less place times the weight of a document shared from the next place on
-- definition: Sums go down to twice the length of the longest ranking; the sum without end is -ln(1 - p) / p.
-- reference: Webber, Moffat and Zobel 2010, A similarity measure for indefinite rankings, doi:10.1145/1852102.1852106
with recursive longest as (
    select 2 * max(num_ret) as length
    from run_topics
),
depths as (
    -- Each step doubles what there is: 1, then 2 and 3, then 4 to 7. Below 1e-20 nothing is left of p^(d - 1).
    select 1 as place
    union all
    select 2 * depths.place + halves.half as place
    from depths
    join (select 0 as half union all select 1 as half) as halves
        on (2 * depths.place + halves.half) * ln($p) > -46.1
    join longest on longest.length >= 2 * depths.place + halves.half
),
terms as (
    select
        place,
        (1 - $p) * pow($p, place - 1) / place as term
    from depths
    union all
    select
        0 as place,
        0 as term
),
sums as (
    select
        place,
        sum(term) over (
            order by place desc
            rows between unbounded preceding and current row
        ) as down_to_last,
        term,
        sum(term) over () as total
    from terms
),
weights as (
    select
        place,
        term,
        down_to_last + greatest(-(1 - $p) * ln(1 - $p) / $p - total, 0) as shared
    from sums
)
select
    place,
    shared,
    greatest(pow($p, place) - place * (shared - term), 0) as below
from weights

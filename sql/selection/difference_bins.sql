-- title: How many topics have a difference to a baseline of which size
-- parameters:
--   qrels varchar = ''           judgment set
--   run varchar = ''             run
--   baseline varchar = ''        run compared with
--   bins integer in [1, inf) = 16   bins at most, about; their width is 1, 2 or 5 times a power of ten
-- columns:
--   bin_low      least difference in the bin
--   bin_high     the bin has differences below this
--   num_topics   topics whose difference is in the bin
--   is_first     whether it is the lowest bin
-- definition: Bins without a topic are left out. No difference is the middle of a bin.
with found as (
    select difference
    from paired_differences(baseline := $baseline)
    where
        qrels = $qrels
        and run = $run
),
spans as (
    select coalesce(nullif(max(difference) - min(difference), 0), 1) / $bins as least_width
    from found
),
powers as (
    select
        least_width,
        pow(10, floor(log10(least_width))) as power
    from spans
),
widths as (
    select
        power * case
            when least_width <= power then 1
            when least_width <= 2 * power then 2
            when least_width <= 5 * power then 5
            else 10
        end as width
    from powers
),
binned as (
    -- A value on a border, up to rounding, belongs to the bin above it.
    select
        widths.width,
        floor(round(found.difference / widths.width + 0.5, 9)) as bin
    from found
    cross join widths
)
select
    (bin - 0.5) * width as bin_low,
    (bin + 0.5) * width as bin_high,
    count(*) as num_topics,
    bin = min(bin) over () as is_first
from binned
group by bin, width

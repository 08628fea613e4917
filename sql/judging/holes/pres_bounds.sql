-- title: The least and the greatest PRES, whatever grades the unjudged documents have
-- parameters: k, rel, most, unseen
--   k integer in [1, inf) = 1000    documents that the reader is willing to look at
-- columns: qrels, run, topic, least, greatest, num_holes, num_unseen
-- definition: With r of the R relevant documents among the first k, and S the sum of their ranks, PRES is
--    (r k + r (r + 1) / 2 - S) / (k R). With the number of relevant holes given it is greatest where the highest are
--    relevant, and least where the lowest are. A further hole at rank s adds k + r + 1 - s to what is divided by R.
--    Within a gap that is the same downwards, so that the greatest value is at the end of a gap. Upwards each hole adds
--    more than the one before it: the least value is in the highest gap whose lowest hole makes it less. All that is
--    unseen is relevant at the least, and nothing of it at the greatest.
with judged_sums as (
    select
        evaluation_id,
        sum(rank) as rank_sum
    from relevant_ranks(rel := $rel)
    where rank <= $k
    group by evaluation_id
),
counted as materialized (
    select
        counts.qrels,
        counts.run,
        counts.topic,
        counts.evaluation_id,
        counts.num_holes,
        counts.num_unseen,
        counts.new_rel,
        counts.num_rel,
        counts.num_rel + counts.new_unseen as num_rel_with_unseen,
        cast(counts.num_rel_ret as double) as found,
        cast(coalesce(judged_sums.rank_sum, 0) as double) as rank_sum
    from hole_counts(k := $k, rel := $rel, most := $most, unseen := $unseen) as counts
    left join judged_sums on judged_sums.evaluation_id = counts.evaluation_id
),
gaps as materialized (
    select
        counted.evaluation_id,
        counted.num_rel,
        counted.num_rel_with_unseen,
        counted.num_holes - gaps.holes_down as num_below,
        gaps.holes_down,
        gaps.size,
        gaps.last_rank,
        counted.found,
        counted.rank_sum,
        cast(gaps.last_rank as double) * (gaps.last_rank + 1) / 2 - gaps.judged_ranks as sum_down
    from hole_gaps(k := $k) as gaps
    join counted on counted.evaluation_id = gaps.evaluation_id
    where counted.new_rel > 0
),
hole_totals as (
    select
        evaluation_id,
        max(sum_down) as rank_sum
    from gaps
    group by evaluation_id
),
filled_below as materialized (
    -- All holes below the gap are relevant.
    select
        gaps.evaluation_id,
        gaps.size,
        gaps.last_rank,
        gaps.found + gaps.num_below as found,
        gaps.rank_sum + hole_totals.rank_sum - gaps.sum_down as rank_sum,
        gaps.num_rel_with_unseen + gaps.num_below as num_rel
    from gaps
    join hole_totals on hole_totals.evaluation_id = gaps.evaluation_id
),
turns as (
    select
        evaluation_id,
        min(last_rank) as last_rank
    from filled_below
    where ($k + found + 1 - last_rank) * num_rel < found * $k + found * (found + 1) / 2 - rank_sum
    group by evaluation_id
),
lowest_holes as (
    select
        filled_below.*,
        unnest(range(1, filled_below.size + 1)) as num_new
    from filled_below
    join turns
        on turns.evaluation_id = filled_below.evaluation_id
        and turns.last_rank = filled_below.last_rank
),
candidates as (
    select
        evaluation_id,
        'greatest' as bound,
        found + holes_down as found,
        rank_sum + sum_down as rank_sum,
        num_rel + holes_down as num_rel
    from gaps
    union all
    select
        evaluation_id,
        'least' as bound,
        found + num_new as found,
        rank_sum + cast(num_new as double) * (2 * last_rank + 1 - num_new) / 2 as rank_sum,
        num_rel + num_new as num_rel
    from lowest_holes
    union all
    -- No hole is relevant.
    select evaluation_id, 'greatest' as bound, found, rank_sum, num_rel from counted
    union all
    select evaluation_id, 'least' as bound, found, rank_sum, num_rel_with_unseen as num_rel from counted
),
extremes as (
    select
        evaluation_id,
        bound,
        min((found * $k + found * (found + 1) / 2 - rank_sum) / nullif(cast(num_rel as double) * $k, 0)) as least,
        max((found * $k + found * (found + 1) / 2 - rank_sum) / nullif(cast(num_rel as double) * $k, 0)) as greatest
    from candidates
    group by evaluation_id, bound
)
select
    counted.qrels,
    counted.run,
    counted.topic,
    coalesce(lowest.least, 0) as least,
    coalesce(highest.greatest, 0) as greatest,
    counted.num_holes,
    counted.num_unseen
from counted
join extremes as lowest
    on lowest.evaluation_id = counted.evaluation_id
    and lowest.bound = 'least'
join extremes as highest
    on highest.evaluation_id = counted.evaluation_id
    and highest.bound = 'greatest'

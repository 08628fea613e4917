-- title: Exact distribution of Wilcoxon's signed rank sum for up to 50 differences without ties
-- columns:
--   num_differing   differences ranked
--   rank_sum        the lesser of the sums of the ranks of either sign
--   p               two-sided p value
-- definition: Of all ways to sign the ranks 1 to n the share whose lesser sum is at most the given one.
-- reference: Wilcoxon 1945, doi:10.2307/3001968
with recursive ways as (
    select
        0 as num_differing,
        0 as rank_sum,
        cast(1 as double) as num_ways
    union all
    select
        ways.num_differing + 1 as num_differing,
        ways.rank_sum + signs.positive * (ways.num_differing + 1) as rank_sum,
        sum(ways.num_ways) as num_ways
    from ways
    cross join (values (0), (1)) as signs(positive)
    where ways.num_differing < 50
    group by ways.num_differing, ways.rank_sum + signs.positive * (ways.num_differing + 1)
)
select
    num_differing,
    rank_sum,
    least(
        1,
        sum(num_ways) over (
            partition by num_differing
            order by rank_sum
            rows between unbounded preceding and current row
        ) / pow(2, num_differing - 1)
    ) as p
from ways
where
    num_differing > 0
    and rank_sum <= num_differing * (num_differing + 1) / 4

-- title: Wilcoxon's signed rank test of each run with a baseline
-- parameters: baseline
-- columns: qrels, measure, baseline, run, num_topics
--   num_differing   topics where they differ; the others are left out
--   positive_ranks  sum of the ranks of differences for the run
--   negative_ranks  sum of the ranks of differences for the baseline
--   method          exact, or normal for the normal approximation
--   p               two-sided p value
--   note            identical, one topic; else null
-- definition: Differences, to 12 decimals so that rounding makes none and parts no ties, are ranked by size, ties by
--     the mean of their ranks. The p value is exact for up to 50 topics without ties or zeros and for up to 13 topics
--     with them, else that of a normal variable, its variance corrected for ties and its statistic not for continuity.
-- reference: Wilcoxon 1945, doi:10.2307/3001968; Conover 1999, Practical nonparametric statistics
-- differs: scipy.stats.wilcoxon by default (zero_method='wilcox', method='auto') takes differences that are equal but
--     for rounding for different ones; otherwise equal to it
with recursive ways_to_sign as (
    -- Of the ranks 1 to n without ties, by the sum of those above 0, for up to 50 topics.
    select
        0 as num_differing,
        0 as rank_sum,
        cast(1 as double) as num_ways
    union all
    select
        ways.num_differing + 1 as num_differing,
        ways.rank_sum + signs.positive * (ways.num_differing + 1) as rank_sum,
        sum(ways.num_ways) as num_ways
    from ways_to_sign as ways
    cross join (values (0), (1)) as signs(positive)
    where ways.num_differing < 50
    group by ways.num_differing, ways.rank_sum + signs.positive * (ways.num_differing + 1)
),
untied as (
    -- The share of the ways whose lesser sum is at most the given one.
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
    from ways_to_sign
    where
        num_differing > 0
        and rank_sum <= num_differing * (num_differing + 1) / 4
),
sized as (
    select
        pairs.qrels,
        pairs.measure,
        pairs.baseline,
        pairs.run,
        sign(round(pairs.difference, 12)) as direction,
        abs(round(pairs.difference, 12)) as size
    from paired_differences(baseline := $baseline) as pairs
),
midranked as (
    select
        sized.qrels,
        sized.measure,
        sized.baseline,
        sized.run,
        sized.direction,
        rank() over pair + (count(*) over tie - 1) / 2 as midrank,
        count(*) over tie as num_tied
    from sized
    window
        pair as (
            partition by sized.qrels, sized.measure, sized.baseline, sized.run, sized.direction = 0
            order by sized.size
        ),
        tie as (partition by sized.qrels, sized.measure, sized.baseline, sized.run, sized.size)
),
summed as (
    select
        midranked.qrels,
        midranked.measure,
        midranked.baseline,
        midranked.run,
        count(*) as num_topics,
        count(case when midranked.direction <> 0 then 1 end) as num_differing,
        coalesce(sum(case when midranked.direction > 0 then midranked.midrank end), 0) as positive_ranks,
        coalesce(sum(case when midranked.direction < 0 then midranked.midrank end), 0) as negative_ranks,
        coalesce(
            sum(case when midranked.direction <> 0 then midranked.num_tied * midranked.num_tied - 1 end),
            0
        ) as tied,
        list([2 * midranked.midrank]) filter (where midranked.direction <> 0) as doubled_ranks
    from midranked
    group by midranked.qrels, midranked.measure, midranked.baseline, midranked.run
),
chosen as (
    select
        summed.*,
        case
            when summed.num_differing = 0 then 'none'
            when summed.num_topics <= 50 and summed.tied = 0 and summed.num_differing = summed.num_topics then 'untied'
            when summed.num_topics <= 13 then 'tied'
            else 'normal'
        end as way
    from summed
),
counted as (
    -- Ways to sign the ranks, by twice the sum of those above 0: each rank in turn adds the list to itself, moved.
    select
        chosen.*,
        case
            when chosen.way = 'tied' then list_reduce(
                chosen.doubled_ranks,
                lambda ways, doubled: list_transform(
                    range(1, cast(len(ways) + doubled[1] + 1 as bigint)),
                    lambda i: case when i <= len(ways) then ways[i] else 0 end
                        + case when i > doubled[1] then ways[i - cast(doubled[1] as bigint)] else 0 end
                ),
                [1.0e0]
            )
        end as ways
    from chosen
)
select
    counted.qrels,
    counted.measure,
    counted.baseline,
    counted.run,
    counted.num_topics,
    counted.num_differing,
    counted.positive_ranks,
    counted.negative_ranks,
    case when counted.way = 'normal' then 'normal' else 'exact' end as method,
    case
        when counted.way = 'none' then 1
        when counted.way = 'untied' then untied.p
        when counted.way = 'tied' then least(
            1,
            list_sum(counted.ways[1:cast(2 * least(counted.positive_ranks, counted.negative_ranks) as bigint) + 1])
            / pow(2, counted.num_differing - 1)
        )
        else least(
            1,
            2 * normal_cdf(
                -abs(counted.positive_ranks - counted.negative_ranks) / 2
                / sqrt(
                    (
                        counted.num_differing * (counted.num_differing + 1) * (2 * counted.num_differing + 1)
                        - counted.tied / 2
                    ) / 24
                )
            )
        )
    end as p,
    case
        when counted.num_differing = 0 then 'identical'
        when counted.num_topics = 1 then 'one topic'
    end as note
from counted
left join untied
    on untied.num_differing = counted.num_differing
    and untied.rank_sum = least(counted.positive_ranks, counted.negative_ranks)
    and counted.way = 'untied'

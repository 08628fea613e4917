-- title: What difference the paired t test can find with these topics, and how many topics a difference needs
-- parameters: baseline, alpha, power, sought
--   alpha double in (0, 1) = 0.05   level of significance
--   power double in (0, 1) = 0.8   probability of finding the difference, above alpha
--   sought double? = null   difference to find; null: the one observed
-- columns: qrels, measure, baseline, run, num_topics
--   difference      mean difference observed
--   deviation       standard deviation of the differences; null for one topic
--   detectable      least mean difference that these topics find with the power; null where there is no deviation
--   topics_needed   least number of topics with which the difference sought is found with the power; null where it is
--                   0 or there is no deviation
-- definition: Power of the two-sided t test by the noncentral t distribution, the standard deviation observed taken
--     for the true one. Of a difference observed this says no more than its p value does.
-- reference: Cohen 1988, Statistical power analysis for the behavioral sciences; Sakai 2016,
--     doi:10.1007/s10791-015-9273-z
with effects as (
    select
        found.qrels,
        found.measure,
        found.baseline,
        found.run,
        found.num_topics,
        found.difference,
        found.deviation,
        coalesce(cast($sought as double), found.difference) / nullif(found.deviation, 0) as effect
    from summed_differences(baseline := $baseline) as found
),
sizes as (
    select distinct
        num_topics
    from effects
    where deviation > 0
),
limits as (
    select
        sizes.num_topics,
        detectable_effect(sizes.num_topics, $alpha, $power) as detectable
    from sizes
)
select
    effects.qrels,
    effects.measure,
    effects.baseline,
    effects.run,
    effects.num_topics,
    effects.difference,
    effects.deviation,
    limits.detectable * nullif(effects.deviation, 0) as detectable,
    case
        when abs(effects.effect) > 1e-6 then cast(topics_needed(effects.effect, $alpha, $power) as bigint)
    end as topics_needed
from effects
left join limits using (num_topics)

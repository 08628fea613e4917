-- title: Tomlinson's litmus test of robustness: which measures rise and which fall when blind feedback expands queries
-- parameters:
--   baseline varchar = null     run without expansion
--   expanded varchar = null     run with it
--   least_t double in [0, inf) = 1.3    t by which a mean must rise or fall for a verdict; above 1.3 about 80%
--                                       confidence, above 2.0 95%
-- columns: qrels
--   place           order of the measures: those first that may pass
--   measure         canonical name of the measure
--   baseline_mean   mean of the run without expansion, for GMAP the geometric one
--   expanded_mean   mean of the run with it
--   difference      second mean less the first
--   num_topics      topics of the judgment set
--   t               paired t statistic over the topics, for GMAP of logarithms; above 0 where the measure rises; null
--                   for fewer than two topics or where all differ by the same
--   direction       rises, falls or stays
--   verdict         feedback on the first rows helps topics that do well and harms those that do not, so that a
--                   measure of robustness should fall: passes if it does by least_t, fails if it rises by that, else
--                   open
with values_by_topic as (
    select 1 as place, 'FRS' as measure, qrels, run, topic, value from frs()
    union all
    select 2 as place, 'RR' as measure, qrels, run, topic, value from rr()
    union all
    select 3 as place, 'Success@10' as measure, qrels, run, topic, value from success(k := 10)
    union all
    select 4 as place, 'IPrec@0' as measure, qrels, run, topic, value from iprec(recall := 0)
    union all
    select 5 as place, 'AP' as measure, qrels, run, topic, value from ap()
    union all
    select 6 as place, 'Rprec' as measure, qrels, run, topic, value from rprec()
    union all
    select 7 as place, 'GMAP' as measure, qrels, run, topic, value from gmap()
    union all
    select 8 as place, 'P@20' as measure, qrels, run, topic, value from p(k := 20)
    union all
    select 9 as place, 'IPrec@0.1' as measure, qrels, run, topic, value from iprec(recall := 0.1)
    union all
    select 10 as place, 'P@10' as measure, qrels, run, topic, value from p(k := 10)
),
chosen as (
    -- As compared_values has them; GMAP is 0.00001 at least.
    select
        found.*,
        case when found.measure = 'GMAP' then ln(found.value) else found.value end as compared
    from values_by_topic as found
    join known_runs(runs := $baseline || ',' || $expanded) as asked using (run)
),
pairs as (
    select
        before.qrels,
        before.place,
        before.measure,
        before.topic,
        before.compared as compared_before,
        after.compared as compared_after,
        after.compared - before.compared as gain
    from chosen as before
    join chosen as after using (qrels, place, topic)
    where
        before.run = $baseline
        and after.run = $expanded
),
averages as (
    -- Differences that are equal but for rounding have no error to measure by.
    select
        qrels,
        place,
        measure,
        count(*) as num_topics,
        sum(compared_before order by topic) / count(*) as mean_before,
        sum(compared_after order by topic) / count(*) as mean_after,
        sum(gain order by topic) / count(*) as gain,
        case when max(gain) - min(gain) > 1e-12 then stddev_samp(gain order by topic) / sqrt(count(*)) end as error
    from pairs
    group by qrels, place, measure
),
tested as (
    select
        qrels,
        place,
        measure,
        case when measure = 'GMAP' then exp(mean_before) else mean_before end as baseline_mean,
        case when measure = 'GMAP' then exp(mean_after) else mean_after end as expanded_mean,
        num_topics,
        gain,
        gain / error as t
    from averages
)
select
    qrels,
    place,
    measure,
    baseline_mean,
    expanded_mean,
    expanded_mean - baseline_mean as difference,
    num_topics,
    t,
    case
        when gain > 1e-12 then 'rises'
        when gain < -1e-12 then 'falls'
        else 'stays'
    end as direction,
    case
        when t <= -$least_t and gain < 0 then 'passes'
        when t >= $least_t and gain > 0 then 'fails'
        else 'open'
    end as verdict
from tested

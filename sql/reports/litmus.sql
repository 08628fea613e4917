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
    select
        1 as place,
        'FRS' as measure,
        qrels,
        run,
        topic,
        value
    from frs()
    union all
    select
        2 as place,
        'RR' as measure,
        qrels,
        run,
        topic,
        value
    from rr()
    union all
    select
        3 as place,
        'Success@10' as measure,
        qrels,
        run,
        topic,
        value
    from success(k := 10)
    union all
    select
        4 as place,
        'IPrec@0' as measure,
        qrels,
        run,
        topic,
        value
    from iprec(recall := 0)
    union all
    select
        5 as place,
        'AP' as measure,
        qrels,
        run,
        topic,
        value
    from ap()
    union all
    select
        6 as place,
        'Rprec' as measure,
        qrels,
        run,
        topic,
        value
    from rprec()
    union all
    select
        7 as place,
        'GMAP' as measure,
        qrels,
        run,
        topic,
        value
    from gmap()
    union all
    select
        8 as place,
        'P@20' as measure,
        qrels,
        run,
        topic,
        value
    from p(k := 20)
    union all
    select
        9 as place,
        'IPrec@0.1' as measure,
        qrels,
        run,
        topic,
        value
    from iprec(recall := 0.1)
    union all
    select
        10 as place,
        'P@10' as measure,
        qrels,
        run,
        topic,
        value
    from p(k := 10)
),
chosen as (
    select values_by_topic.*
    from values_by_topic
    join known_runs(runs := $baseline || ',' || $expanded) as asked using (run)
),
pairs as (
    select
        before.place,
        before.measure,
        before.qrels,
        before.topic,
        before.value as value_before,
        after.value as value_after,
        case
            when before.measure = 'GMAP' then ln(after.value) - ln(before.value)
            else after.value - before.value
        end as gain
    from chosen as before
    join chosen as after using (place, qrels, topic)
    where
        before.run = $baseline
        and after.run = $expanded
),
averages as (
    select
        place,
        measure,
        qrels,
        count(*) as num_topics,
        sum(gain order by topic) / count(*) as gain,
        max(gain) - min(gain) as spread,
        case
            when measure = 'GMAP' then exp(sum(ln(nullif(value_before, 0)) order by topic) / count(*))
            else sum(value_before order by topic) / count(*)
        end as mean_before,
        case
            when measure = 'GMAP' then exp(sum(ln(nullif(value_after, 0)) order by topic) / count(*))
            else sum(value_after order by topic) / count(*)
        end as mean_after
    from pairs
    group by place, measure, qrels
),
errors as (
    select
        pairs.place,
        pairs.qrels,
        sqrt(
            sum(pow(pairs.gain - averages.gain, 2) order by pairs.topic)
                / nullif(averages.num_topics - 1, 0)
                / averages.num_topics
        ) as error
    from pairs
    join averages using (place, qrels)
    group by pairs.place, pairs.qrels, averages.num_topics
),
tested as (
    -- Differences that are equal but for rounding have no error to measure by.
    select
        averages.qrels,
        averages.place,
        averages.measure,
        averages.mean_before,
        averages.mean_after,
        averages.num_topics,
        averages.gain,
        case when averages.spread > 1e-12 then averages.gain / nullif(errors.error, 0) end as t
    from averages
    join errors using (place, qrels)
)
select
    qrels,
    place,
    measure,
    mean_before as baseline_mean,
    mean_after as expanded_mean,
    mean_after - mean_before as difference,
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

-- title: Means over topics by a judge, corrected by what people judged
-- parameters: of, baseline, reference, judge, weight, intervals, confidence
--   of varchar in {means, differences} = means   of runs, or of their differences from a baseline
-- columns: measure
--   baseline         run compared with; null of means
--   run              run
--   num_topics       topics that both judgment sets have
--   num_judged       topics that the judge alone has
--   by_reference     mean by the reference over the topics of both
--   by_judge         mean by the judge over all its topics
--   correction       mean by the reference less that by the judge, over the topics of both
--   weight           weight of the judge's values
--   estimate         corrected mean
--   low              lower end of its interval; null for too few topics
--   high             upper end
--   reference_low    lower end of the interval of the mean by the reference
--   reference_high   upper end
--   n_effective      topics that people would have to judge for the same variance, without the judge
--   note             what to be wary of: no other topics, few topics, people alone are surer; null otherwise
-- definition: With Y the values by the reference over n topics, F those by the judge there and U over N other topics,
--     the estimate is mean(Y) + w (mean(U) - mean(F)). Its variance is w^2 var(U) / N + var(Y - w F) / n. The weight w
--     that makes it least is cov(Y, F) / ((1 + n / N) var of all F and U), between 0 and 1. Student's interval
--     divides sums of squares by N - 1 and n - 1, for a weight above 0 found from the topics n - 2, as in a regression,
--     and takes as many degrees of freedom; the normal one by N and n.
-- reference: Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023, doi:10.1126/science.adi6000; Angelopoulos, Duchi
--     and Zrnic 2023, PPI++, arXiv:2311.01453
with run_values as (
    select
        scores.qrels,
        scores.measure,
        cast(null as varchar) as baseline,
        scores.run,
        scores.topic,
        scores.value
    from scores
    join measures on measures.measure = regexp_extract(scores.measure, '^[^(@]+')
    where measures.mean = 'arithmetic'
),
run_differences as (
    select
        pairs.qrels,
        pairs.measure,
        pairs.baseline,
        pairs.run,
        pairs.topic,
        pairs.difference as value
    from paired_differences(baseline := $baseline) as pairs
),
chosen as (
    select * from query_table(case when $of = 'means' then 'run_values' else 'run_differences' end)
),
unknown as (
    -- A row whose every column raises the error; no filter leaves it out.
    select cast(error(asked.parameter || ' is ' || asked.name || ', and no judgment set is called so') as varchar) as told
    from (values ('reference', $reference), ('judge', $judge)) as asked(parameter, name)
    where
        asked.name is not null
        and asked.name not in (select held.qrels from qrels as held union all select chosen.qrels from chosen)
),
gathered as (
    -- Lists in the order of topics, as in summed_differences.
    select
        judged.measure,
        judged.baseline,
        judged.run,
        list_sort(
            list({'topic': judged.topic, 'value': human.value, 'judged': judged.value})
            filter (where human.value is not null)
        ) as topics,
        coalesce(
            list_sort(list({'topic': judged.topic, 'judged': judged.value}) filter (where human.value is null)),
            []
        ) as others
    from chosen as judged
    left join chosen as human
        on human.qrels = $reference
        and human.measure = judged.measure
        and human.baseline is not distinct from judged.baseline
        and human.run = judged.run
        and human.topic = judged.topic
    where judged.qrels = $judge
    group by judged.measure, judged.baseline, judged.run
    having count(human.value) > 0
    union all
    select
        told as measure,
        told as baseline,
        told as run,
        null as topics,
        null as others
    from unknown
),
lists as (
    select
        gathered.*,
        cast(len(gathered.topics) as double) as n,
        cast(len(gathered.others) as double) as num_others,
        list_transform(gathered.topics, lambda each: each.value) as given,
        list_transform(gathered.topics, lambda each: each.judged) as judged_twice,
        list_transform(gathered.others, lambda each: each.judged) as judged_alone
    from gathered
),
summed as (
    select
        lists.*,
        list_sum(given) / n as by_reference,
        list_sum(list_concat(judged_twice, judged_alone)) / (n + num_others) as by_judge,
        list_sum(judged_twice) / n as mean_twice,
        coalesce(list_sum(judged_alone) / nullif(num_others, 0), 0) as mean_alone,
        list_aggregate(given, 'var_pop') as variance,
        coalesce(list_aggregate(judged_alone, 'var_pop'), 0) as variance_alone,
        list_dot_product(given, judged_twice) / n - list_sum(given) / n * list_sum(judged_twice) / n as covariance,
        list_aggregate(list_concat(judged_twice, judged_alone), 'var_samp') as variance_all
    from lists
),
weighted as (
    select
        summed.*,
        case
            when num_others = 0 then 0
            when $weight is not null then $weight
            else
                coalesce(
                    greatest(least(covariance / nullif((1 + n / num_others) * variance_all, 0), 1), 0),
                    0
                )
        end as w
    from summed
),
varied as (
    select
        weighted.*,
        case when w > 0 and $weight is null then n - 2 else n - 1 end as df,
        list_aggregate(
            list_transform(weighted.topics, lambda each: each.value - w * each.judged),
            'var_pop'
        ) as residual
    from weighted
),
errors as (
    select
        varied.*,
        by_reference + w * (mean_alone - mean_twice) as estimate,
        case
            when $intervals = 'normal'
                then sqrt(w * w * variance_alone / greatest(num_others, 1) + residual / n)
            when w = 0 then sqrt(variance / nullif(n - 1, 0))
            else sqrt(w * w * variance_alone / nullif(num_others - 1, 0) + residual / nullif(greatest(df, 0), 0))
        end as error,
        sqrt(variance / case when $intervals = 'normal' then n else nullif(n - 1, 0) end) as reference_error
    from varied
),
quantiles as (
    select
        df,
        case
            when $intervals = 'normal' then normal_quantile(0.5 + $confidence / 2)
            when $intervals = 't' then student_quantile(0.5 + $confidence / 2, df)
        end as quantile
    from (
        select df from errors
        union
        select n - 1 as df from errors
    )
    where df > 0
)
select
    errors.measure,
    errors.baseline,
    errors.run,
    cast(errors.n as bigint) as num_topics,
    cast(errors.num_others as bigint) as num_judged,
    errors.by_reference,
    errors.by_judge,
    errors.by_reference - errors.mean_twice as correction,
    errors.w as weight,
    errors.estimate,
    errors.estimate - quantiles.quantile * errors.error as low,
    errors.estimate + quantiles.quantile * errors.error as high,
    errors.by_reference - alone.quantile * errors.reference_error as reference_low,
    errors.by_reference + alone.quantile * errors.reference_error as reference_high,
    errors.n * pow(errors.reference_error, 2) / nullif(pow(errors.error, 2), 0) as n_effective,
    case
        when errors.num_others = 0 then 'no other topics'
        when errors.n < 10 then 'few topics'
        when round(errors.error - errors.reference_error, 12) > 0 then 'people alone are surer'
    end as note
from errors
left join quantiles using (df)
left join quantiles as alone on alone.df = errors.n - 1

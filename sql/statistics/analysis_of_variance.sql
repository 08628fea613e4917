-- title: Two-way analysis of variance of each measure, by run and topic
-- columns: qrels, measure
--   source        run, topic, error (what is left of neither) or total
--   sum_squares   sum of squares
--   df            degrees of freedom
--   mean_square   sum of squares by degrees of freedom; null where there are none
--   deviation     its square root; of the error the standard deviation of what is left
--   f             mean square by that of the error; null for error and total, and where no error is left
--   p             p value of f, for runs and topics: 1 where nothing differs, 0 where no error is left; null for error
--                 and total
--   num_runs      runs
--   num_topics    topics that all runs have a value for; others are left out
-- definition: Values (logarithms for measures with a geometric mean) as the sum of a mean, an effect of the run, one
--     of the topic and an error, without interaction.
-- reference: Tague-Sutcliffe and Blustein 1995, TREC-3; Carterette 2012, doi:10.1145/2094072.2094076
with seen as (
    select
        qrels,
        measure,
        run,
        topic,
        compared
    from compared_values()
),
run_counts as (
    select
        qrels,
        measure,
        count(distinct run) as num_runs
    from seen
    group by qrels, measure
),
topics_of_measures as (
    select
        qrels,
        measure,
        topic,
        count(*) as num_runs
    from seen
    group by qrels, measure, topic
),
complete as (
    select
        seen.qrels,
        seen.measure,
        seen.run,
        seen.topic,
        seen.compared
    from seen
    join run_counts using (qrels, measure)
    join topics_of_measures using (qrels, measure, topic, num_runs)
),
-- The order makes sums the same to the last digit each time.
centred as (
    select
        qrels,
        measure,
        run,
        topic,
        compared - avg(compared) over (
            partition by qrels, measure
            order by run, topic
            rows between unbounded preceding and unbounded following
        ) as deviance
    from complete
),
effects as (
    select
        qrels,
        measure,
        run,
        topic,
        deviance,
        avg(deviance) over (
            partition by qrels, measure, run
            order by topic
            rows between unbounded preceding and unbounded following
        ) as run_effect,
        avg(deviance) over (
            partition by qrels, measure, topic
            order by run
            rows between unbounded preceding and unbounded following
        ) as topic_effect
    from centred
),
squares as (
    select
        qrels,
        measure,
        count(distinct run) as num_runs,
        count(distinct topic) as num_topics,
        sum(run_effect * run_effect order by run, topic) as run_squares,
        sum(topic_effect * topic_effect order by run, topic) as topic_squares,
        sum(pow(deviance - run_effect - topic_effect, 2) order by run, topic) as error_squares,
        sum(deviance * deviance order by run, topic) as total_squares
    from effects
    group by qrels, measure
),
cleaned as (
    -- What rounding alone leaves counts as 0.
    select
        qrels,
        measure,
        num_runs,
        num_topics,
        case when run_squares > 1e-25 * total_squares then run_squares else 0 end as run_squares,
        case when topic_squares > 1e-25 * total_squares then topic_squares else 0 end as topic_squares,
        case when error_squares > 1e-25 * total_squares then error_squares else 0 end as error_squares,
        total_squares
    from squares
),
listed as (
    select
        cleaned.*,
        rows.nth,
        rows.source,
        case rows.nth
            when 1 then cleaned.run_squares
            when 2 then cleaned.topic_squares
            when 3 then cleaned.error_squares
            else cleaned.total_squares
        end as sum_squares,
        case rows.nth
            when 1 then cleaned.num_runs - 1
            when 2 then cleaned.num_topics - 1
            when 3 then (cleaned.num_runs - 1) * (cleaned.num_topics - 1)
            else cleaned.num_runs * cleaned.num_topics - 1
        end as df,
        (cleaned.num_runs - 1) * (cleaned.num_topics - 1) as error_df
    from cleaned
    cross join (values (1, 'run'), (2, 'topic'), (3, 'error'), (4, 'total')) as rows(nth, source)
),
ratios as (
    select
        listed.*,
        case
            when nth < 3 and df > 0 then sum_squares / df / nullif(error_squares / nullif(error_df, 0), 0)
        end as f
    from listed
)
select
    qrels,
    measure,
    source,
    sum_squares,
    df,
    sum_squares / nullif(df, 0) as mean_square,
    sqrt(sum_squares / nullif(df, 0)) as deviation,
    f,
    case
        when nth > 2 then null
        when f is not null then f_p(f, df, error_df)
        when sum_squares > 0 and error_df > 0 then 0
        else 1
    end as p,
    num_runs,
    num_topics
from ratios

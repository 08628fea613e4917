-- title: Whether a judge favours the systems of a group, such as those built on the model that judges
-- parameters: group_key, names, reference, confidence
--   group_key varchar = family   key of the meta of runs that says to which group each belongs
-- columns: measure
--   qrels        the reference, or the judgment set whose name comes first
--   other        judgment set compared with it
--   run_group    group of runs
--   num_runs     its runs
--   num_others   all other runs
--   num_topics   topics that both judgment sets have
--   places       mean of the places that the runs of the group gain by the other
--   bias         how much more the other gives to runs of the group than to other runs that are as good by the
--                reference; null where there are too few runs to tell
--   low          lower end of its interval; null for one topic or fewer than four runs
--   high         upper end
-- definition: The coefficient of the group in a linear regression of the means by the other on those by the reference
--     and on whether a run is of the group: the slope accounts for a judge who errs by lot, which draws good and bad
--     systems together. The interval is Student's, with the lesser degrees of freedom of runs and topics. Its variance
--     is the sum of that of the coefficient over runs and of that over topics, the bias being a mean over topics of
--     weighted values by the other less slope times those by the reference. Values are those of compared_values.
-- reference: Fisher 1932, Statistical methods for research workers (analysis of covariance); Student 1908,
--     doi:10.1093/biomet/6.1.1
with seen as (
    select * from compared_values()
),
sides as materialized (
    select
        firsts.measure,
        firsts.qrels,
        others.qrels as other,
        firsts.run,
        firsts.topic,
        firsts.compared as value,
        others.compared as other_value
    from seen as firsts
    join seen as others
        on others.measure = firsts.measure
        and others.run = firsts.run
        and others.topic = firsts.topic
        and others.qrels <> firsts.qrels
    join named_qrels(names := $names) as listed on listed.qrels = others.qrels
    join named_qrels(names := coalesce($reference, $names)) as judged on judged.qrels = firsts.qrels
    where
        $reference is not null
        or others.qrels > firsts.qrels
),
run_means as materialized (
    select
        sides.measure,
        sides.qrels,
        sides.other,
        sides.run,
        runs.meta[$group_key] as run_group,
        avg(sides.value order by sides.topic) as mean,
        avg(sides.other_value order by sides.topic) as other_mean
    from sides
    join runs using (run)
    group by sides.measure, sides.qrels, sides.other, sides.run, runs.meta[$group_key]
),
standings as (
    -- Every run beside every group, centred within the group and within the others.
    select
        run_means.measure,
        run_means.qrels,
        run_means.other,
        named.run_group,
        run_means.run,
        case when run_means.run_group = named.run_group then 1 else 0 end as is_in,
        run_means.mean,
        run_means.mean - avg(run_means.mean) over side as centred,
        run_means.other_mean - avg(run_means.other_mean) over side as other_centred
    from run_means
    join (select distinct run_group from run_means where run_group is not null) as named on true
    window
        side as (
            partition by
                run_means.measure,
                run_means.qrels,
                run_means.other,
                named.run_group,
                run_means.run_group is not distinct from named.run_group
            order by run_means.run
            rows between unbounded preceding and unbounded following
        )
),
slopes as (
    select
        *,
        coalesce(
            sum(centred * other_centred) over each_group / nullif(sum(centred * centred) over each_group, 0),
            0
        ) as slope,
        is_in - avg(is_in) over each_group
        - coalesce(
            covar_pop(is_in, mean) over each_group / nullif(var_pop(mean) over each_group, 0),
            0
        ) * (mean - avg(mean) over each_group) as distinction
    from standings
    window
        each_group as (
            partition by measure, qrels, other, run_group
            order by run
            rows between unbounded preceding and unbounded following
        )
),
weights as (
    select
        *,
        distinction / nullif(round(sum(distinction * distinction) over each_group, 12), 0) as weight,
        sum(pow(other_centred - slope * centred, 2)) over each_group
        / nullif(count(*) over each_group - 3, 0)
        / nullif(round(sum(distinction * distinction) over each_group, 12), 0) as variance
    from slopes
    window
        each_group as (
            partition by measure, qrels, other, run_group
            order by run
            rows between unbounded preceding and unbounded following
        )
),
by_topic as (
    select
        weights.measure,
        weights.qrels,
        weights.other,
        weights.run_group,
        sides.topic,
        sum(weights.is_in) as num_runs,
        count(*) - sum(weights.is_in) as num_others,
        max(weights.variance) as variance,
        sum(weights.weight * (sides.other_value - weights.slope * sides.value) order by sides.run) as bias
    from weights
    join sides
        on sides.measure = weights.measure
        and sides.qrels = weights.qrels
        and sides.other = weights.other
        and sides.run = weights.run
    group by weights.measure, weights.qrels, weights.other, weights.run_group, sides.topic
),
summed as (
    select
        measure,
        qrels,
        other,
        run_group,
        max(num_runs) as num_runs,
        max(num_others) as num_others,
        count(*) as num_topics,
        avg(bias order by topic) as bias,
        sqrt(var_samp(bias order by topic) / count(*) + max(variance)) as standard_error,
        least(count(*) - 1, max(num_runs + num_others) - 3) as df
    from by_topic
    group by measure, qrels, other, run_group
),
moves as (
    select
        effects.measure,
        effects.qrels,
        effects.other,
        runs.meta[$group_key] as run_group,
        avg(effects.place - effects.other_place) as places
    from judgment_effects(names := $names, reference := $reference) as effects
    join runs using (run)
    group by effects.measure, effects.qrels, effects.other, runs.meta[$group_key]
),
widths as (
    select
        df,
        student_quantile(0.5 + $confidence / 2, df) as quantile
    from (select distinct df from summed where df > 0)
)
select
    summed.measure,
    summed.qrels,
    summed.other,
    summed.run_group,
    cast(summed.num_runs as bigint) as num_runs,
    cast(summed.num_others as bigint) as num_others,
    summed.num_topics,
    moves.places,
    summed.bias,
    summed.bias - widths.quantile * summed.standard_error as low,
    summed.bias + widths.quantile * summed.standard_error as high
from summed
join moves
    on moves.measure = summed.measure
    and moves.qrels = summed.qrels
    and moves.other = summed.other
    and moves.run_group = summed.run_group
left join widths using (df)

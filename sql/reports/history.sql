-- title: The mean of every measure over the loads of each system, one after another
-- inputs: mean_values
-- columns: qrels
--   system       system, as the runs were loaded with --system
--   measure      canonical name of the measure
--   run          run: one load of the system
--   version      version of the system; null for none
--   dated_at     date of the run, in UTC
--   num_topics   topics averaged
--   value        mean over the topics, as summary has it
--   low          lower end of Student's interval of the mean at 95%; null where it is no arithmetic mean
--   high         upper end
--   difference   value less that of the run before; null for the first one
--   changed      what changed since the run before: judgments (others took their place between both dates, so that
--                the figures of that time were others), sql (the figures were made by other SQL), version (of the
--                system) or missing topics (another number of them is left out), separated by commas; null for nothing
--   sql_digest   SHA-256 over the SQL that the figure was made by
with stored as (
    select
        qrels_id,
        run_id,
        measure,
        min(sql_digest) as sql_digest
    from stored_scores
    group by qrels_id, run_id, measure
),
loads as (
    select
        mean_values.qrels,
        mean_values.measure,
        mean_values.run,
        mean_values.value,
        mean_values.num_topics,
        run_versions.run_id,
        run_versions.system,
        run_versions.version,
        run_versions.dated_at,
        lacking.missing_topics,
        coalesce(stored.sql_digest, warehouse.sql_digest) as sql_digest
    from mean_values
    join run_versions using (run)
    join qrels on qrels.qrels = mean_values.qrels
    cross join warehouse
    left join stored
        on stored.qrels_id = qrels.qrels_id
        and stored.run_id = run_versions.run_id
        and stored.measure = mean_values.measure
    left join coverage as lacking
        on lacking.qrels = mean_values.qrels
        and lacking.run = mean_values.run
        and lacking.missing_topics is not null
    where run_versions.system is not null
),
followed as (
    select
        loads.*,
        lag(loads.value) over loaded as value_before,
        lag(loads.dated_at) over loaded as dated_before,
        lag(loads.version) over loaded as version_before,
        lag(loads.missing_topics) over loaded as missing_before,
        lag(loads.sql_digest) over loaded as sql_before
    from loads
    window loaded as (
        partition by loads.qrels, loads.measure, loads.system
        order by loads.dated_at, loads.run_id
    )
),
rejudged as (
    select
        followed.qrels,
        followed.measure,
        followed.run,
        count(*) as times
    from followed
    join qrels as replaced
        on starts_with(replaced.qrels, followed.qrels || '@')
        and replaced.replaced_at > followed.dated_before
        and replaced.replaced_at <= followed.dated_at
    group by followed.qrels, followed.measure, followed.run
)
select
    followed.qrels,
    followed.system,
    followed.measure,
    followed.run,
    followed.version,
    followed.dated_at,
    followed.num_topics,
    followed.value,
    intervals.low,
    intervals.high,
    followed.value - followed.value_before as difference,
    nullif(
        concat_ws(
            ', ',
            case when rejudged.times > 0 then 'judgments' end,
            case when followed.sql_before <> followed.sql_digest then 'sql' end,
            case
                when followed.dated_before is not null and followed.version is distinct from followed.version_before
                    then 'version'
            end,
            case when followed.missing_topics <> followed.missing_before then 'missing topics' end
        ),
        ''
    ) as changed,
    followed.sql_digest
from followed
left join rejudged using (qrels, measure, run)
left join mean_intervals(confidence := 0.95) as intervals using (qrels, measure, run)

-- title: Topics for which measures have no value or several
-- inputs: audited_values, audited_runs, audited_measures
-- columns: finding
--   num_rows   measures without exactly one row
-- definition: A measure has exactly one row for each evaluated topic of a run that is audited.
with evaluated as (
    -- By key and with names that may be gone, so that no row is lost or doubled on the way.
    select
        evaluations.evaluation_id,
        (select min(qrels.qrels) from qrels where qrels.qrels_id = evaluations.qrels_id) as qrels,
        (select min(runs.run) from runs where runs.run_id = evaluations.run_id) as run,
        (select min(topics.topic) from topics where topics.topic_id = evaluations.topic_id) as topic,
        evaluations.run_id,
        evaluations.topic_id
    from evaluations
    where evaluations.run_id in (select audited_runs.run_id from audited_runs)
),
counted as (
    select
        measure,
        qrels,
        run,
        topic,
        count(*) as num_values
    from audited_values
    group by measure, qrels, run, topic
),
wanted as (
    select
        measures.measure,
        evaluated.qrels,
        evaluated.run,
        evaluated.topic,
        evaluated.run_id,
        evaluated.topic_id
    from evaluated
    cross join audited_measures as measures
),
wrong as (
    select
        wanted.run_id,
        wanted.topic_id,
        wanted.qrels,
        wanted.run,
        wanted.topic,
        wanted.measure,
        coalesce(counted.num_values, 0) as num_values
    from wanted
    left join counted using (measure, qrels, run, topic)
    where coalesce(counted.num_values, 0) <> 1
)
select
    concat(
        'run ', coalesce(run, concat('#', run_id)), ', topic ', coalesce(topic, concat('#', topic_id)),
        ', judgments ', coalesce(qrels, 'unknown'), ': ', min(measure),
        case
            when count(distinct measure) = 1 then concat(' has ', max(num_values), ' values, expected 1')
            else concat(' and ', count(distinct measure) - 1, ' other measures have no value or several, expected 1')
        end
    ) as finding,
    count(distinct measure) as num_rows
from wrong
group by qrels, run, topic, run_id, topic_id

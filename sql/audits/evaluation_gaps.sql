-- title: Pairs of a run and a judgment set that are not evaluated on each judged topic once
-- quick: yes
-- columns: finding
--   num_rows   evaluations of the topic
-- definition: Each run has with each judgment set it is paired with one evaluation for every topic of the set,
--    and none for others. No key stands twice.
with judged_topics as (
    select distinct
        qrels_id,
        topic_id
    from judged_documents
),
evaluated_pairs as (
    select distinct
        qrels_id,
        run_id
    from evaluations
),
counted as (
    select
        qrels_id,
        run_id,
        topic_id,
        count(*) as num_rows
    from evaluations
    group by qrels_id, run_id, topic_id
),
wanted as (
    select
        evaluated_pairs.qrels_id,
        evaluated_pairs.run_id,
        judged_topics.topic_id
    from evaluated_pairs
    join judged_topics using (qrels_id)
),
wrong as (
    select
        coalesce(wanted.qrels_id, counted.qrels_id) as qrels_id,
        coalesce(wanted.run_id, counted.run_id) as run_id,
        coalesce(wanted.topic_id, counted.topic_id) as topic_id,
        wanted.topic_id is not null as is_judged,
        coalesce(counted.num_rows, 0) as num_rows
    from wanted
    full join counted
        on counted.qrels_id = wanted.qrels_id
        and counted.run_id = wanted.run_id
        and counted.topic_id = wanted.topic_id
    where coalesce(counted.num_rows, 0) <> case when wanted.topic_id is null then 0 else 1 end
)
select
    concat(
        'run ', coalesce(runs.run, concat('#', wrong.run_id)),
        ', topic ', coalesce(topics.topic, concat('#', wrong.topic_id)), ': evaluated ', wrong.num_rows,
        ' times with judgments ', coalesce(qrels.qrels, concat('#', wrong.qrels_id)),
        case when wrong.is_judged then ', expected once' else ', which do not have the topic' end
    ) as finding,
    wrong.num_rows
from wrong
left join runs using (run_id)
left join topics on topics.topic_id = wrong.topic_id
left join qrels on qrels.qrels_id = wrong.qrels_id
union all
select
    concat(
        'evaluation ', evaluations.evaluation_id, ' stands ', count(*), ' times, among others for run ',
        coalesce(min(runs.run), concat('#', min(evaluations.run_id))),
        ', topic ', coalesce(min(topics.topic), concat('#', min(evaluations.topic_id)))
    ) as finding,
    count(*) as num_rows
from evaluations
left join runs using (run_id)
left join topics on topics.topic_id = evaluations.topic_id
group by evaluations.evaluation_id
having count(*) > 1

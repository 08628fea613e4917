-- title: What is evaluated of a portion of runs: each run on those of its topics that the portion has
-- definition: Rows of portion that have a topic and no document ask for the evaluation.
-- inputs: portion, portion_runs
-- columns:
--   evaluation_id   key; consecutive within a run
--   qrels_id        key of the judgment set
--   run_id          key of the run
--   topic_id        key of the topic
select
    cast(row_number() over (order by portion_runs.run_id, topics.topic_id) as integer) as evaluation_id,
    qrels.qrels_id,
    portion_runs.run_id,
    topics.topic_id
from portion
join portion_runs using (run)
join topics using (topic)
cross join qrels
where portion.document is null

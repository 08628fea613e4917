-- title: The rows measures of answers have: each run whose answers were judged on each topic of the nuggets
-- columns: qrels_id, run_id, topic_id, qrels, run, topic
--   kind      what was judged of the run's answers: nuggets that they hold, or citations; a run may have rows of both
--   missing   whether nothing of the kind was judged of an answer to the topic
with pairs as (
    select distinct
        qrels_id,
        run_id,
        kind
    from judged_answers
),
nugget_topics as (
    select distinct
        qrels_id,
        topic_id
    from nuggets
)
select
    pairs.qrels_id,
    pairs.run_id,
    nugget_topics.topic_id,
    qrels.qrels,
    runs.run,
    topics.topic,
    pairs.kind,
    judged_answers.run_id is null as missing
from pairs
join nugget_topics using (qrels_id)
join qrels using (qrels_id)
join asked_runs() as runs using (run_id)
join topics using (topic_id)
left join judged_answers using (qrels_id, run_id, kind, topic_id)

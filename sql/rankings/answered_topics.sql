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
join asked_runs() as runs on runs.run_id = pairs.run_id
join topics on topics.topic_id = nugget_topics.topic_id
left join judged_answers
    on judged_answers.qrels_id = pairs.qrels_id
    and judged_answers.run_id = pairs.run_id
    and judged_answers.kind = pairs.kind
    and judged_answers.topic_id = nugget_topics.topic_id

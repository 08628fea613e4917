-- title: Every nugget of every answer, by name
-- columns: qrels, run, topic
--   nugget       name of the nugget, or its text where it has no other
--   importance   vital or okay
--   text         its text; null where that is its name or was not given
--   assignment   support, partial_support or not_support
select
    qrels.qrels,
    runs.run,
    topics.topic,
    nuggets.nugget,
    nuggets.importance,
    nuggets.text,
    nugget_assignments.assignment
from nugget_assignments
join nuggets using (qrels_id, topic_id, nugget)
join qrels using (qrels_id)
join runs on runs.run_id = nugget_assignments.run_id
join topics on topics.topic_id = nugget_assignments.topic_id

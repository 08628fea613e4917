-- title: Staged assignments with keys in the place of names
-- inputs: staged, named_nuggets
-- parameters:
--   qrels_id integer = null   key of the judgment set that has the nuggets
-- columns: run_id, qrels_id, topic_id
--   nugget       name of the nugget
--   assignment   support, partial_support or not_support
select
    runs.run_id,
    $qrels_id as qrels_id,
    named_nuggets.topic_id,
    named_nuggets.nugget,
    staged.assignment
from staged
join runs using (run)
join named_nuggets
    on named_nuggets.topic = staged.topic
    and named_nuggets.name = staged.nugget
order by runs.run_id, named_nuggets.topic_id, named_nuggets.nugget

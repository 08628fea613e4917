-- title: Staged nuggets with keys in the place of names
-- inputs: staged
-- parameters:
--   qrels_id integer = null   key of their judgment set
-- columns: qrels_id, topic_id
--   nugget       its name
--   importance   vital or okay
--   text         its text; null where that is its name or was not given
select
    $qrels_id as qrels_id,
    topics.topic_id,
    staged.nugget,
    staged.importance,
    nullif(staged.text, staged.nugget) as text
from staged
join topics using (topic)
order by topics.topic_id, staged.line, staged.nugget

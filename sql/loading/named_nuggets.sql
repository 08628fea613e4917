-- title: The nuggets of a judgment set by each name that assignments may call them by
-- parameters:
--   qrels_id integer = null   key of the judgment set
-- columns: topic_id, topic
--   name         name of the nugget, or its text where no other nugget of the topic has that name or text
--   nugget       its name
--   importance   vital or okay
with names as (
    select
        topic_id,
        nugget as name,
        nugget,
        importance
    from nuggets
    where qrels_id = $qrels_id
    union all
    select
        topic_id,
        text as name,
        nugget,
        importance
    from nuggets
    where
        qrels_id = $qrels_id
        and text is not null
)
select
    names.topic_id,
    topics.topic,
    names.name,
    min(names.nugget) as nugget,
    min(names.importance) as importance
from names
join topics using (topic_id)
group by names.topic_id, topics.topic, names.name
having count(*) = 1

-- title: The words of each topic's question, where they were loaded
-- columns:
--   qrels         judgment set whose topic it is
--   topic         topic
--   text          the question, in the shortest form that was given: text, else description, else narrative
--   description   what it asks, in a sentence; null where none was given
--   narrative     what is relevant to it and what is not; null where none was given
with forms as (
    select
        qrels_id,
        topic_id,
        max(case when key = 'text' then value end) as text,
        max(case when key = 'description' then value end) as description,
        max(case when key = 'narrative' then value end) as narrative
    from topic_meta
    where key in ('text', 'description', 'narrative')
    group by qrels_id, topic_id
)
select
    qrels.qrels,
    topics.topic,
    coalesce(forms.text, forms.description, forms.narrative) as text,
    forms.description,
    forms.narrative
from forms
join qrels using (qrels_id)
join topics on topics.topic_id = forms.topic_id
where qrels.replaced_at is null

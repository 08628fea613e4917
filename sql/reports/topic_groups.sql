-- title: The groups that topics belong to
-- columns:
--   qrels         judgment set whose topic it is
--   key           what the groups are, such as language; length is the number of words of the question
--   topic         topic
--   topic_group   its group
-- definition: What was loaded of topics, but for texts. The key length is made from the texts, in judgment sets of
--    which none was loaded.
with known as (
    select
        qrels_id,
        key,
        topic_id,
        value
    from topic_meta
    where key not in ('text', 'description', 'narrative')
    union all
    select
        qrels_id,
        'length' as key,
        topic_id,
        cast(len(string_split_regex(trim(value), '\s+')) as varchar) as value
    from topic_meta
    where
        key = 'text'
        and qrels_id not in (select qrels_id from topic_meta where key = 'length')
)
select
    qrels.qrels,
    known.key,
    topics.topic,
    known.value as topic_group
from known
join qrels using (qrels_id)
join topics on topics.topic_id = known.topic_id
where qrels.replaced_at is null

-- title: What judgment sets have in common with a reference
-- parameters:
--   names varchar = null       names of the sets, with commas between them; null is all
--   reference varchar = null   name of the reference
-- columns: qrels
--   num_topics      topics of the reference that the set judges
--   num_documents   documents of these topics that both judge
with held as (
    select
        topic_id,
        document_id
    from ratings(names := $reference)
)
select
    judged.qrels,
    count(distinct judged.topic_id) as num_topics,
    count(held.document_id) as num_documents
from ratings(names := $names) as judged
left join held using (topic_id, document_id)
where judged.topic_id in (select topic_id from held)
group by judged.qrels

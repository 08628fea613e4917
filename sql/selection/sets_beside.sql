-- title: The judgment sets in use that judge documents of one set, which is among them
-- parameters:
--   qrels varchar = null   judgment set; null is every set in use
-- columns: qrels
--   num_documents   documents of the topics that it judges as the other does
with judged as (
    select
        qrels.qrels,
        judged_documents.topic_id,
        judged_documents.document_id
    from judged_documents
    join qrels using (qrels_id)
    where
        judged_documents.grade >= 0
        and qrels.replaced_at is null
)
select
    judged.qrels,
    count(*) as num_documents
from judged
where
    $qrels is null
    or exists (
        select 1
        from judged as own
        where
            own.qrels = $qrels
            and own.topic_id = judged.topic_id
            and own.document_id = judged.document_id
    )
group by judged.qrels

-- title: Judgments with grades below 0, which are none elsewhere, made grades that count
-- parameters:
--   losses boolean = false   whether such a grade becomes one that gains can tell from all others; else it is 0
-- columns: topic
--   document   document
--   grade      its grade: 0, or how far it was below the greatest grade, added to that
with greatest as (
    select max(grade) as grade
    from judged_documents
)
select
    topics.topic,
    documents.document,
    case
        when judged_documents.grade >= 0 then judged_documents.grade
        when $losses then greatest.grade - judged_documents.grade
        else 0
    end as grade
from judged_documents
cross join greatest
join topics on topics.topic_id = judged_documents.topic_id
join documents on documents.document_id = judged_documents.document_id
join qrels on qrels.qrels_id = judged_documents.qrels_id
where qrels.qrels = 'qrels'

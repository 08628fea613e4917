-- title: Judgments with grades below 0, which are none elsewhere, made grades that count
-- inputs: below_zero
-- parameters:
--   losses boolean = false   whether such a grade becomes one that gains can tell from all others; else it is 0
-- columns: topic
--   document   document
--   grade      its grade; for one below 0 its stand-in, or 0
select
    topics.topic,
    documents.document,
    case
        when judged_documents.grade >= 0 then judged_documents.grade
        when $losses then below_zero.stand_in
        else 0
    end as grade
from judged_documents
left join below_zero using (grade)
join topics using (topic_id)
join documents on documents.document_id = judged_documents.document_id
join qrels on qrels.qrels_id = judged_documents.qrels_id
where qrels.qrels = 'qrels'

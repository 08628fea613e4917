-- title: Documents with more than one grade for a topic
-- quick: yes
-- columns: finding
--   num_rows   grades of the document
-- definition: A judgment set has each document once for a topic in judged_documents, and in assessments too if
--    its form is grades, strata or probabilities.
with graded as (
    select
        'judged_documents' as relation,
        qrels_id,
        topic_id,
        document_id
    from judged_documents
    union all
    select
        'assessments' as relation,
        assessments.qrels_id,
        assessments.topic_id,
        assessments.document_id
    from assessments
    join qrels using (qrels_id)
    where qrels.form in ('grades', 'strata', 'probabilities')
),
repeated as (
    select
        relation,
        qrels_id,
        topic_id,
        document_id,
        count(*) as num_rows
    from graded
    group by relation, qrels_id, topic_id, document_id
    having count(*) > 1
)
select
    concat(
        'judgments ', coalesce(qrels.qrels, concat('#', repeated.qrels_id)),
        ', topic ', coalesce(topics.topic, concat('#', repeated.topic_id)),
        ': document ', coalesce(documents.document, concat('#', repeated.document_id)),
        ' stands ', repeated.num_rows, ' times in ', repeated.relation
    ) as finding,
    repeated.num_rows
from repeated
left join qrels using (qrels_id)
left join topics on topics.topic_id = repeated.topic_id
left join documents on documents.document_id = repeated.document_id

-- title: Documents whose grade is not the one that their judgments give
-- columns: finding
--   num_rows   1
-- definition: The grade in judged_documents is the highest in assessments; of preferences it is 1 where a level
--    is above 0, else 0.
with given as (
    select
        qrels_id,
        topic_id,
        document_id,
        grade
    from assessments
    union all
    select
        qrels_id,
        topic_id,
        document_id,
        case when level > 0 then 1 else 0 end as grade
    from preferences
),
highest as (
    select
        qrels_id,
        topic_id,
        document_id,
        max(grade) as grade
    from given
    group by qrels_id, topic_id, document_id
),
different as (
    select
        coalesce(highest.qrels_id, judged_documents.qrels_id) as qrels_id,
        coalesce(highest.topic_id, judged_documents.topic_id) as topic_id,
        coalesce(highest.document_id, judged_documents.document_id) as document_id,
        highest.grade as given_grade,
        judged_documents.grade as kept_grade
    from highest
    full join judged_documents
        on judged_documents.qrels_id = highest.qrels_id
        and judged_documents.topic_id = highest.topic_id
        and judged_documents.document_id = highest.document_id
    where
        highest.grade is null
        or judged_documents.grade is null
        or highest.grade <> judged_documents.grade
)
select
    concat(
        'judgments ', coalesce(qrels.qrels, concat('#', different.qrels_id)),
        ', topic ', coalesce(topics.topic, concat('#', different.topic_id)),
        ': document ', coalesce(documents.document, concat('#', different.document_id)), ' has ',
        case
            when different.kept_grade is null then 'no grade'
            else concat('the grade ', different.kept_grade)
        end,
        case
            when different.given_grade is null then ', and no judgment'
            else concat(', the judgments say ', different.given_grade)
        end
    ) as finding,
    cast(1 as bigint) as num_rows
from different
left join qrels using (qrels_id)
left join topics on topics.topic_id = different.topic_id
left join documents on documents.document_id = different.document_id

-- title: The relevant documents of each topic by kind: those of one kind are relevant to the same subtopics
-- parameters: rel
-- columns:
--   qrels_id      key of the judgment set
--   topic_id      key of the topic
--   document_id   key of the document
--   place         place among the relevant documents of the topic in descending order of their names
--   kind          place of the first of its kind
--   nth           place among those of its kind
with recursive numbered as (
    select
        qrels_id,
        topic_id,
        judgment_group,
        row_number() over (partition by qrels_id, topic_id order by judgment_group) as number
    from group_relevant_counts(rel := $rel)
    where num_rel > 0
),
listed as (
    select
        assessments.qrels_id as qrels_id,
        assessments.topic_id as topic_id,
        assessments.document_id as document_id,
        cast(numbered.number as varchar) as number,
        row_number() over (
            partition by assessments.qrels_id, assessments.topic_id, assessments.document_id
            order by numbered.number
        ) as length
    from assessments
    join numbered
        on numbered.qrels_id = assessments.qrels_id
        and numbered.topic_id = assessments.topic_id
        and numbered.judgment_group = assessments.iteration
    where assessments.grade >= $rel
),
spelled as (
    -- The subtopics of a document as one text, begun with the first of them and grown by one a step.
    select
        qrels_id,
        topic_id,
        document_id,
        number as subtopics,
        length
    from listed
    where length = 1
    union all
    select
        spelled.qrels_id as qrels_id,
        spelled.topic_id as topic_id,
        spelled.document_id as document_id,
        spelled.subtopics || ',' || listed.number as subtopics,
        listed.length as length
    from spelled
    join listed
        on listed.qrels_id = spelled.qrels_id
        and listed.topic_id = spelled.topic_id
        and listed.document_id = spelled.document_id
        and listed.length = spelled.length + 1
),
longest as (
    select
        qrels_id,
        topic_id,
        document_id,
        max(length) as length
    from listed
    group by qrels_id, topic_id, document_id
),
placed as (
    select
        spelled.qrels_id as qrels_id,
        spelled.topic_id as topic_id,
        spelled.document_id as document_id,
        spelled.subtopics as subtopics,
        row_number() over (
            partition by spelled.qrels_id, spelled.topic_id
            order by documents.document desc
        ) as place
    from spelled
    join longest
        on longest.qrels_id = spelled.qrels_id
        and longest.topic_id = spelled.topic_id
        and longest.document_id = spelled.document_id
        and longest.length = spelled.length
    join documents on documents.document_id = spelled.document_id
)
select
    qrels_id,
    topic_id,
    document_id,
    place,
    min(place) over (partition by qrels_id, topic_id, subtopics) as kind,
    row_number() over (
        partition by qrels_id, topic_id, subtopics
        order by place
    ) as nth
from placed

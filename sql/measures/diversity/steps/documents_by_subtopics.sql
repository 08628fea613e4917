-- title: The relevant documents of each topic, those that are relevant to the same subtopics numbered together
-- parameters: rel
-- columns: qrels_id, topic_id, document_id
--   name_number       number among the relevant documents of the topic in descending order of their names
--   first_of_alike    name_number of the first document that is relevant to the same subtopics
--   number_of_alike   number among the documents that are
with recursive subtopics as (
    select
        qrels_id,
        topic_id,
        iteration as subtopic,
        row_number() over (
            partition by qrels_id, topic_id
            order by iteration
        ) as subtopic_number
    from assessments
    where grade >= $rel
    group by qrels_id, topic_id, iteration
),
listed as (
    select
        assessments.qrels_id as qrels_id,
        assessments.topic_id as topic_id,
        assessments.document_id as document_id,
        cast(subtopics.subtopic_number as varchar) as subtopic_number,
        row_number() over (
            partition by assessments.qrels_id, assessments.topic_id, assessments.document_id
            order by subtopics.subtopic_number
        ) as length
    from assessments
    join subtopics
        on subtopics.qrels_id = assessments.qrels_id
        and subtopics.topic_id = assessments.topic_id
        and subtopics.subtopic = assessments.iteration
    where assessments.grade >= $rel
),
spelled as (
    -- The subtopics of a document as one text, begun with the first of them and grown by one a step.
    select
        qrels_id,
        topic_id,
        document_id,
        subtopic_number as subtopic_list,
        length
    from listed
    where length = 1
    union all
    select
        spelled.qrels_id as qrels_id,
        spelled.topic_id as topic_id,
        spelled.document_id as document_id,
        spelled.subtopic_list || ',' || listed.subtopic_number as subtopic_list,
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
numbered as (
    select
        spelled.qrels_id as qrels_id,
        spelled.topic_id as topic_id,
        spelled.document_id as document_id,
        spelled.subtopic_list as subtopic_list,
        row_number() over (
            partition by spelled.qrels_id, spelled.topic_id
            order by documents.document desc
        ) as name_number
    from spelled
    join longest using (qrels_id, topic_id, document_id, length)
    join documents using (document_id)
)
select
    qrels_id,
    topic_id,
    document_id,
    name_number,
    min(name_number) over (partition by qrels_id, topic_id, subtopic_list) as first_of_alike,
    row_number() over (
        partition by qrels_id, topic_id, subtopic_list
        order by name_number
    ) as number_of_alike
from numbered

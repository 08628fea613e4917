-- title: Two ids of a judgment set and two of a run: documents of a topic, or topics where none is given
-- inputs: ranked
-- parameters:
--   qrels_id integer = null   key of the judgment set
--   run_id integer = null     key of the run
--   topic_id integer = null   key of the topic
-- columns:
--   side    judgments or run
--   place   1 or 2: of judged documents the highest grades first, of retrieved ones the first ranks, of topics by name
--   id      name of the document or topic
with ids as (
    select
        'judgments' as side,
        documents.document as id,
        row_number() over (order by judged_documents.grade desc, documents.document) as place
    from judged_documents
    join documents on documents.document_id = judged_documents.document_id
    where
        judged_documents.qrels_id = $qrels_id
        and judged_documents.topic_id = $topic_id
    union all
    select
        'run' as side,
        documents.document as id,
        ranked.rank as place
    from ranked
    join documents on documents.document_id = ranked.document_id
    where
        ranked.run_id = $run_id
        and ranked.topic_id = $topic_id
    union all
    select
        'judgments' as side,
        topics.topic as id,
        row_number() over (order by topics.topic) as place
    from topics
    where
        $topic_id is null
        and topics.topic_id in (select topic_id from judged_documents where qrels_id = $qrels_id)
    union all
    select
        'run' as side,
        topics.topic as id,
        row_number() over (order by topics.topic) as place
    from topics
    where
        $topic_id is null
        and topics.topic_id in (select topic_id from run_topics where run_id = $run_id)
)
select
    side,
    place,
    id
from ids
where place <= 2

-- title: Rows of documents that are not there
-- columns:
--   finding    what is wrong, and where
--   num_rows   rows of the table that are concerned
-- definition: Each document_id in another table is in documents.
with nameless as (
    select
        'retrieved' as relation,
        retrieved.run_id,
        cast(null as integer) as qrels_id,
        retrieved.topic_id,
        retrieved.document_id
    from retrieved
    left join documents on documents.document_id = retrieved.document_id
    where documents.document_id is null
    union all
    select
        'assessments' as relation,
        cast(null as integer) as run_id,
        assessments.qrels_id,
        assessments.topic_id,
        assessments.document_id
    from assessments
    left join documents on documents.document_id = assessments.document_id
    where documents.document_id is null
    union all
    select
        'preferences' as relation,
        cast(null as integer) as run_id,
        preferences.qrels_id,
        preferences.topic_id,
        preferences.document_id
    from preferences
    left join documents on documents.document_id = preferences.document_id
    where documents.document_id is null
    union all
    select
        'judged_documents' as relation,
        cast(null as integer) as run_id,
        judged_documents.qrels_id,
        judged_documents.topic_id,
        judged_documents.document_id
    from judged_documents
    left join documents on documents.document_id = judged_documents.document_id
    where documents.document_id is null
    union all
    select
        'judged_ranks' as relation,
        evaluations.run_id,
        evaluations.qrels_id,
        evaluations.topic_id,
        judged_ranks.document_id
    from judged_ranks
    join evaluations on evaluations.evaluation_id = judged_ranks.evaluation_id
    left join documents on documents.document_id = judged_ranks.document_id
    where documents.document_id is null
)
select
    concat(
        case
            when nameless.run_id is null then ''
            else concat('run ', coalesce(runs.run, concat('#', nameless.run_id)), ', ')
        end,
        case
            when nameless.qrels_id is null then ''
            else concat('judgments ', coalesce(qrels.qrels, concat('#', nameless.qrels_id)), ', ')
        end,
        'topic ', coalesce(topics.topic, concat('#', nameless.topic_id)), ': ', nameless.relation,
        ' has documents that are not in documents, the first #', min(nameless.document_id)
    ) as finding,
    count(*) as num_rows
from nameless
left join runs on runs.run_id = nameless.run_id
left join qrels on qrels.qrels_id = nameless.qrels_id
left join topics on topics.topic_id = nameless.topic_id
group by
    nameless.relation,
    nameless.run_id,
    nameless.qrels_id,
    nameless.topic_id,
    runs.run,
    qrels.qrels,
    topics.topic

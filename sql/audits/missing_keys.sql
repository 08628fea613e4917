-- title: Rows whose key has no row in the table that it points to
-- quick: yes
-- columns:
--   relation   the table that has them
--   owner      what they lack: their run, judgments, evaluation, topic or documents
--   finding    what is wrong, where, and what to do if rows belong to nothing that is left
--   num_rows   rows of the table that are concerned
-- parameters:
--   documents boolean = true   whether each document is looked up too, which takes longer
-- definition: Each run_id is in runs, each qrels_id in qrels, each evaluation_id in evaluations, each topic_id in topics
--    and each document_id in documents.
with held as (
    select 'evaluations' as relation, run_id, qrels_id, topic_id from evaluations
    union all
    select 'stored_scores', run_id, qrels_id, topic_id from stored_scores
    union all
    select 'nugget_assignments', run_id, qrels_id, topic_id from nugget_assignments
    union all
    select 'answer_citations', run_id, qrels_id, topic_id from answer_citations
    union all
    select 'collection_scores', run_id, null, null from collection_scores
    union all
    select 'costs', run_id, null, topic_id from costs
    union all
    select 'retrieved', run_id, null, topic_id from retrieved
    union all
    select 'call_ranks', run_id, null, topic_id from call_ranks
    union all
    select 'retrieved_spans', run_id, null, topic_id from retrieved_spans
    union all
    select 'run_topics', run_id, null, topic_id from run_topics
    union all
    select 'assessments', null, qrels_id, topic_id from assessments
    union all
    select 'preferences', null, qrels_id, topic_id from preferences
    union all
    select 'judged_documents', null, qrels_id, topic_id from judged_documents
    union all
    select 'judged_spans', null, qrels_id, topic_id from judged_spans
    union all
    select 'judgment_samples', null, qrels_id, topic_id from judgment_samples
    union all
    select 'nuggets', null, qrels_id, topic_id from nuggets
    union all
    select 'topic_weights', null, qrels_id, topic_id from topic_weights
    union all
    select 'topic_meta', null, qrels_id, topic_id from topic_meta
),
held_documents as (
    select 'retrieved' as relation, run_id, null as qrels_id, topic_id, document_id from retrieved
    union all
    select 'call_ranks', run_id, null, topic_id, document_id from call_ranks
    union all
    select 'retrieved_spans', run_id, null, topic_id, document_id from retrieved_spans
    union all
    select 'assessments', null, qrels_id, topic_id, document_id from assessments
    union all
    select 'preferences', null, qrels_id, topic_id, document_id from preferences
    union all
    select 'judged_documents', null, qrels_id, topic_id, document_id from judged_documents
    union all
    select 'judged_spans', null, qrels_id, topic_id, document_id from judged_spans
    union all
    select 'judgment_samples', null, qrels_id, topic_id, document_id from judgment_samples
    union all
    select 'judged_ranks', evaluations.run_id, evaluations.qrels_id, evaluations.topic_id, judged_ranks.document_id
    from judged_ranks
    join evaluations using (evaluation_id)
),
keys as (
    select relation, run_id, qrels_id, topic_id, cast(null as integer) as document_id, count(*) as num_rows
    from held
    group by relation, run_id, qrels_id, topic_id
    union all
    -- of documents only those that are missing, since there are as many keys as rows
    select relation, run_id, qrels_id, topic_id, min(document_id), count(*)
    from held_documents
    where $documents and document_id not in (select document_id from documents)
    group by relation, run_id, qrels_id, topic_id
),
-- Rows that name the kind of what they belong to.
kinds as (
    select
        'files' as relation,
        kind,
        id,
        case when run_id is null then 'judgments' else 'run' end as owner,
        count(*) as num_rows
    from file_owners
    where kind <> 'documents'
    group by kind, id, run_id
    union all
    select
        'meta_changes' as relation,
        kind,
        id,
        case when kind = 'run' then 'run' else 'judgments' end as owner,
        count(*) as num_rows
    from meta_changes
    group by kind, id
),
placed as (
    select
        keys.relation,
        keys.run_id,
        runs.run,
        keys.qrels_id,
        qrels.qrels,
        keys.topic_id,
        topics.topic,
        keys.document_id,
        keys.num_rows,
        concat(
            case when keys.run_id is null then '' else concat('run ', coalesce(runs.run, concat('#', keys.run_id)), ', ') end,
            case
                when keys.qrels_id is null then ''
                else concat('judgments ', coalesce(qrels.qrels, concat('#', keys.qrels_id)), ', ')
            end,
            'topic ', coalesce(topics.topic, concat('#', keys.topic_id))
        ) as place
    from keys
    left join runs using (run_id)
    left join qrels on qrels.qrels_id = keys.qrels_id
    left join topics on topics.topic_id = keys.topic_id
),
belonging_to_nothing as (
    select relation, 'run' as owner, 'run_id' as key, run_id as id, 'is not in runs' as fault, num_rows
    from placed
    where run_id is not null and run is null and document_id is null
    union all
    select relation, 'judgments', 'qrels_id', qrels_id, 'are not in qrels', num_rows
    from placed
    where qrels_id is not null and qrels is null and document_id is null
    union all
    select 'judged_ranks', 'evaluation', 'evaluation_id', evaluation_id, 'is not in evaluations', 1
    from judged_ranks
    where evaluation_id not in (select evaluation_id from evaluations)
    union all
    select
        relation,
        owner,
        concat('kind = ''', replace(kind, '''', ''''''), ''' and id') as key,
        id,
        case when owner = 'run' then 'is not in runs' else 'are not in qrels' end as fault,
        num_rows
    from kinds
    where
        (owner = 'run' and id not in (select run_id from runs))
        or (owner = 'judgments' and id not in (select qrels_id from qrels))
)
select
    relation,
    concat('their ', owner) as owner,
    concat(
        relation, ' has rows of ', owner, ' #', id, ', which ', fault, ': delete from ', relation, ' where ', key, ' = ', id
    ) as finding,
    cast(sum(num_rows) as bigint) as num_rows
from belonging_to_nothing
group by relation, owner, key, id, fault
union all
select
    relation,
    'their topic' as owner,
    concat(place, ': has rows in ', relation, ' and is not in topics') as finding,
    num_rows
from placed
where topic_id is not null and topic is null and document_id is null
union all
select
    relation,
    'their documents' as owner,
    concat(place, ': ', relation, ' has documents that are not in documents, the first #', document_id) as finding,
    num_rows
from placed
where document_id is not null
union all
select
    'document_texts' as relation,
    'their documents' as owner,
    concat('document_texts has documents that are not in documents, the first #', min(document_id)) as finding,
    count(*) as num_rows
from document_texts
where $documents and document_id not in (select document_id from documents)
having count(*) > 0

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
with keys as (
    select 'evaluations' as relation, run_id, qrels_id, topic_id, cast(null as integer) as evaluation_id,
        cast(null as integer) as document_id, count(*) as num_rows
    from evaluations
    group by run_id, qrels_id, topic_id
    union all
    select 'stored_scores', run_id, qrels_id, topic_id, null, null, count(*)
    from stored_scores
    group by run_id, qrels_id, topic_id
    union all
    select 'collection_scores', run_id, null, null, null, null, count(*)
    from collection_scores
    group by run_id
    union all
    select 'costs', run_id, null, topic_id, null, null, count(*)
    from costs
    group by run_id, topic_id
    union all
    select 'retrieved', run_id, null, topic_id, null, null, count(*)
    from retrieved
    group by run_id, topic_id
    union all
    select 'call_ranks', run_id, null, topic_id, null, null, count(*)
    from call_ranks
    group by run_id, topic_id
    union all
    select 'retrieved_spans', run_id, null, topic_id, null, null, count(*)
    from retrieved_spans
    group by run_id, topic_id
    union all
    select 'run_topics', run_id, null, topic_id, null, null, count(*)
    from run_topics
    group by run_id, topic_id
    union all
    select 'assessments', null, qrels_id, topic_id, null, null, count(*)
    from assessments
    group by qrels_id, topic_id
    union all
    select 'preferences', null, qrels_id, topic_id, null, null, count(*)
    from preferences
    group by qrels_id, topic_id
    union all
    select 'judged_documents', null, qrels_id, topic_id, null, null, count(*)
    from judged_documents
    group by qrels_id, topic_id
    union all
    select 'judged_spans', null, qrels_id, topic_id, null, null, count(*)
    from judged_spans
    group by qrels_id, topic_id
    union all
    select 'judgment_samples', null, qrels_id, topic_id, null, null, count(*)
    from judgment_samples
    group by qrels_id, topic_id
    union all
    select 'nuggets', null, qrels_id, topic_id, null, null, count(*)
    from nuggets
    group by qrels_id, topic_id
    union all
    select 'nugget_assignments', run_id, qrels_id, topic_id, null, null, count(*)
    from nugget_assignments
    group by run_id, qrels_id, topic_id
    union all
    select 'answer_citations', run_id, qrels_id, topic_id, null, null, count(*)
    from answer_citations
    group by run_id, qrels_id, topic_id
    union all
    select 'topic_weights', null, qrels_id, topic_id, null, null, count(*)
    from topic_weights
    group by qrels_id, topic_id
    union all
    select 'topic_meta', null, qrels_id, topic_id, null, null, count(*)
    from topic_meta
    group by qrels_id, topic_id
    union all
    select 'judged_ranks', null, null, null, evaluation_id, null, count(*)
    from judged_ranks
    group by evaluation_id
    union all
    -- of documents only those that are missing, since there are as many keys as rows
    select 'retrieved', run_id, null, topic_id, null, min(document_id), count(*)
    from retrieved
    where $documents and document_id not in (select document_id from documents)
    group by run_id, topic_id
    union all
    select 'call_ranks', run_id, null, topic_id, null, min(document_id), count(*)
    from call_ranks
    where $documents and document_id not in (select document_id from documents)
    group by run_id, topic_id
    union all
    select 'retrieved_spans', run_id, null, topic_id, null, min(document_id), count(*)
    from retrieved_spans
    where $documents and document_id not in (select document_id from documents)
    group by run_id, topic_id
    union all
    select 'assessments', null, qrels_id, topic_id, null, min(document_id), count(*)
    from assessments
    where $documents and document_id not in (select document_id from documents)
    group by qrels_id, topic_id
    union all
    select 'preferences', null, qrels_id, topic_id, null, min(document_id), count(*)
    from preferences
    where $documents and document_id not in (select document_id from documents)
    group by qrels_id, topic_id
    union all
    select 'judged_spans', null, qrels_id, topic_id, null, min(document_id), count(*)
    from judged_spans
    where $documents and document_id not in (select document_id from documents)
    group by qrels_id, topic_id
    union all
    select 'judgment_samples', null, qrels_id, topic_id, null, min(document_id), count(*)
    from judgment_samples
    where $documents and document_id not in (select document_id from documents)
    group by qrels_id, topic_id
    union all
    select 'judged_documents', null, qrels_id, topic_id, null, min(document_id), count(*)
    from judged_documents
    where $documents and document_id not in (select document_id from documents)
    group by qrels_id, topic_id
    union all
    select 'judged_ranks', evaluations.run_id, evaluations.qrels_id, evaluations.topic_id, null,
        min(judged_ranks.document_id), count(*)
    from judged_ranks
    join evaluations using (evaluation_id)
    where $documents and judged_ranks.document_id not in (select document_id from documents)
    group by evaluations.run_id, evaluations.qrels_id, evaluations.topic_id
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
        keys.evaluation_id,
        evaluations.evaluation_id as found_evaluation_id,
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
    left join evaluations on evaluations.evaluation_id = keys.evaluation_id
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
    select relation, 'evaluation', 'evaluation_id', evaluation_id, 'is not in evaluations', num_rows
    from placed
    where evaluation_id is not null and found_evaluation_id is null
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

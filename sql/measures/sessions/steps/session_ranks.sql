-- title: Judged documents that calls found; those of a run without calls are of one call
-- columns: evaluation_id
--   call          place of the call among those of the topic
--   rank          rank in the call
--   grade         the document's grade
--   document_id   key of the document
--   is_first      whether no call before it has the document
with evaluated as (
    select *
    from asked_evaluations()
),
called as (
    select *
    from call_ranks
    where run_id in (select run_id from asked_runs())
),
found as (
    select
        evaluated.evaluation_id,
        called.call,
        called.rank,
        judged_documents.grade,
        called.document_id
    from evaluated
    join called using (run_id, topic_id)
    join judged_documents
        on judged_documents.qrels_id = evaluated.qrels_id
        and judged_documents.topic_id = evaluated.topic_id
        and judged_documents.document_id = called.document_id
    union all
    select
        evaluated.evaluation_id,
        1 as call,
        ranks.rank,
        ranks.grade,
        ranks.document_id
    from asked_ranks() as ranks
    join evaluated using (evaluation_id)
    where evaluated.run_id not in (select run_id from called)
)
select
    evaluation_id,
    call,
    rank,
    grade,
    document_id,
    row_number() over (partition by evaluation_id, document_id order by call) = 1 as is_first
from found

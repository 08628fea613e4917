-- title: Documents that stand at another rank in one run than in another; changes has values of systems over time
-- parameters:
--   run varchar = null                     run
--   other varchar = null                   run compared with it
--   depth integer? in [1, inf) = 10         documents that are among the first so many of either run; null: all
-- columns:
--   qrels        judgment set that evaluates both
--   run          run
--   other        run compared with it
--   topic        topic of the judgments
--   document     document
--   grade        its grade; null where it is not judged
--   rank         its rank in the run; null where it is not retrieved
--   other_rank   its rank in the other run
with run_ranks as (
    select
        retrieved.topic_id,
        retrieved.document_id,
        retrieved.rank
    from retrieved
    join runs using (run_id)
    where runs.run = $run
),
other_ranks as (
    select
        retrieved.topic_id,
        retrieved.document_id,
        retrieved.rank
    from retrieved
    join runs using (run_id)
    where runs.run = $other
),
moved as (
    select
        coalesce(run_ranks.topic_id, other_ranks.topic_id) as topic_id,
        coalesce(run_ranks.document_id, other_ranks.document_id) as document_id,
        run_ranks.rank,
        other_ranks.rank as other_rank
    from run_ranks
    full join other_ranks
        on other_ranks.topic_id = run_ranks.topic_id
        and other_ranks.document_id = run_ranks.document_id
    where
        run_ranks.rank is distinct from other_ranks.rank
        and (
            $depth is null
            or run_ranks.rank <= $depth
            or other_ranks.rank <= $depth
        )
),
judged_topics as (
    select
        evaluations.qrels_id,
        evaluations.topic_id
    from evaluations
    join known_runs(runs := $run || ',' || $other) as asked using (run_id)
    where asked.run in ($run, $other)
    group by evaluations.qrels_id, evaluations.topic_id
    having count(distinct asked.run) = 2
)
select
    qrels.qrels,
    $run as run,
    $other as other,
    topics.topic,
    documents.document,
    judged_documents.grade,
    moved.rank,
    moved.other_rank
from moved
join judged_topics using (topic_id)
join qrels using (qrels_id)
join topics on topics.topic_id = moved.topic_id
join documents on documents.document_id = moved.document_id
left join judged_documents
    on judged_documents.qrels_id = judged_topics.qrels_id
    and judged_documents.topic_id = moved.topic_id
    and judged_documents.document_id = moved.document_id

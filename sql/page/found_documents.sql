-- title: The relevant documents of each topic, and how many runs found them
-- inputs: chosen_runs
-- parameters:
--   qrels varchar = null             judgment set
--   depth integer in [1, inf) = 20   rank down to which a document counts as found
-- columns: topic
--   document       document with a grade of 1 or more
--   grade          its grade
--   num_found      runs that have it at this rank or above
--   num_ret        runs that have it at all
--   best_rank      its best rank in any run; null if none has it
--   found_place    place from 1 among the topic's relevant documents, those that most runs found first
--   missed_place   the other way round: found by the fewest first, of these the highest grades
--   num_shown      of the topic's relevant documents, those that some run found
--   num_lost       of these, those that no run has at all
with ranked as (
    select
        evaluations.topic_id,
        judged_ranks.document_id,
        count(case when judged_ranks.rank <= $depth then 1 end) as num_found,
        count(*) as num_ret,
        min(judged_ranks.rank) as best_rank
    from judged_ranks
    join evaluations using (evaluation_id)
    join qrels on qrels.qrels_id = evaluations.qrels_id
    join runs on runs.run_id = evaluations.run_id
    join chosen_runs on chosen_runs.run = runs.run
    where
        qrels.qrels = $qrels
        and judged_ranks.grade >= 1
    group by evaluations.topic_id, judged_ranks.document_id
),
relevant as (
    select
        topics.topic,
        documents.document,
        judged_documents.grade,
        coalesce(ranked.num_found, 0) as num_found,
        coalesce(ranked.num_ret, 0) as num_ret,
        ranked.best_rank
    from judged_documents
    join qrels using (qrels_id)
    join topics on topics.topic_id = judged_documents.topic_id
    join documents on documents.document_id = judged_documents.document_id
    left join ranked
        on ranked.topic_id = judged_documents.topic_id
        and ranked.document_id = judged_documents.document_id
    where
        qrels.qrels = $qrels
        and judged_documents.grade >= 1
)
select
    topic,
    document,
    grade,
    num_found,
    num_ret,
    best_rank,
    row_number() over (
        partition by topic
        order by num_found desc, grade desc, num_ret desc, document
    ) as found_place,
    row_number() over (
        partition by topic
        order by num_found, grade desc, num_ret, document
    ) as missed_place,
    count(case when num_found > 0 then 1 end) over (partition by topic) as num_shown,
    count(case when num_ret = 0 then 1 end) over (partition by topic) as num_lost
from relevant

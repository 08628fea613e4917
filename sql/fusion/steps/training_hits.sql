-- title: What the runs to be fused retrieved for the topics to learn from, and whether it is relevant
-- parameters: runs, qrels, folds, rel
-- columns:
--   fold         fold of the topics that are fused
--   place        place of the run in the list, from 1
--   topic_id     key of a topic to learn from
--   rank         rank from 1
--   num_ret      documents that the run has for the topic
--   num_topics   topics to learn from
--   hit          1 where the document is relevant, else 0
select
    training.fold,
    listed.place,
    retrieved.topic_id,
    retrieved.rank,
    run_topics.num_ret,
    training.num_topics,
    case when judged_documents.grade >= $rel then 1 else 0 end as hit
from training_topics(qrels := $qrels, folds := $folds) as training
cross join known_runs(runs := $runs) as listed
join qrels as held on held.qrels = $qrels
join run_topics
    on run_topics.run_id = listed.run_id
    and run_topics.topic_id = training.topic_id
join retrieved
    on retrieved.run_id = listed.run_id
    and retrieved.topic_id = training.topic_id
left join judged_documents
    on judged_documents.qrels_id = held.qrels_id
    and judged_documents.topic_id = retrieved.topic_id
    and judged_documents.document_id = retrieved.document_id

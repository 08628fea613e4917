-- title: What is to be evaluated for new pairs of judgment set and run
-- inputs: new_pairs
-- columns:
--   evaluation_id   key, going on from the greatest there is; consecutive within a pair
--   qrels_id        key of the judgment set
--   run_id          key of the run
--   topic_id        key of the topic
with greatest_key as (
    select coalesce(max(evaluation_id), 0) as evaluation_id
    from evaluations
),
judged_topics as (
    select distinct
        qrels_id,
        topic_id
    from judged_documents
)
select
    cast(
        greatest_key.evaluation_id
        + row_number() over (order by new_pairs.qrels_id, new_pairs.run_id, judged_topics.topic_id) as integer
    ) as evaluation_id,
    new_pairs.qrels_id,
    new_pairs.run_id,
    judged_topics.topic_id
from new_pairs
join judged_topics using (qrels_id)
cross join greatest_key

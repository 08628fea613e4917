-- title: Topics that no run and no judgment refers to any more
-- columns:
--   topic_id   key of the topic
with used as (
    select topic_id
    from run_topics
    union
    select topic_id
    from evaluations
    union
    select topic_id
    from assessments
    union
    select topic_id
    from preferences
    union
    select topic_id
    from judged_documents
    union
    select topic_id
    from topic_weights
    union
    select topic_id
    from topic_meta
    union
    select topic_id
    from stored_scores
)
select topics.topic_id
from topics
left join used on used.topic_id = topics.topic_id
where used.topic_id is null

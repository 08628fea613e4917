-- title: The precision-recall curve of each run on each topic at levels of recall
-- parameters: rel, points
-- columns:
--   qrels       judgment set
--   run         run
--   topic       topic
--   recall      level of recall
--   precision   highest precision at any recall of at least the level
with levels as (
    -- The factor forgives a level that has no exact binary form, 0.7 of 10 documents being 7.
    select
        topic_counts.qrels_id,
        topic_counts.topic_id,
        recall_points.recall,
        greatest(ceil(recall_points.recall * topic_counts.num_rel * (1 - 1e-12)), 1) as num_needed
    from topic_counts(rel := $rel) as topic_counts
    cross join recall_points(points := $points) as recall_points
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    levels.recall,
    coalesce(interpolated_precisions.precision, 0) as precision
from evaluated_topics
join levels
    on levels.qrels_id = evaluated_topics.qrels_id
    and levels.topic_id = evaluated_topics.topic_id
left join interpolated_precisions(rel := $rel) as interpolated_precisions
    on interpolated_precisions.evaluation_id = evaluated_topics.evaluation_id
    and interpolated_precisions.relevant_rank = levels.num_needed

-- title: Interpolated precision at levels of recall: the highest precision at any recall of at least the level
-- parameters: points, rel, ties in {rule, worst, best}
-- columns:
--   evaluation_id   key of the evaluation
--   recall          level of recall
--   precision       interpolated precision there; 0 if the ranking does not reach the level
with levels as (
    -- The factor forgives a level that has no exact binary form, 0.7 of 10 documents being 7.
    select
        evaluated_topics.evaluation_id as evaluation_id,
        recall_points.recall as recall,
        greatest(ceil(recall_points.recall * topic_counts.num_rel * (1 - 1e-12)), 1) as num_rel
    from evaluated_topics
    join topic_counts(rel := $rel) as topic_counts
        on topic_counts.qrels_id = evaluated_topics.qrels_id
        and topic_counts.topic_id = evaluated_topics.topic_id
    cross join recall_points(points := $points) as recall_points
)
select
    levels.evaluation_id as evaluation_id,
    levels.recall as recall,
    coalesce(interpolated_precisions.precision, 0) as precision
from levels
left join interpolated_precisions(rel := $rel, ties := $ties) as interpolated_precisions
    on interpolated_precisions.evaluation_id = levels.evaluation_id
    and interpolated_precisions.nth = levels.num_rel

-- title: The precision-recall curve of each run on each topic at levels of recall
-- parameters: rel, points
-- columns: qrels, run, topic
--   recall      level of recall
--   precision   highest precision at any recall of at least the level
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    levels.recall,
    coalesce(found.precision, 0) as precision
from evaluated_topics
cross join recall_points(points := $points) as levels
left join precisions_at_recall(points := $points, rel := $rel, rounding := 'textbook') as found
    using (evaluation_id, recall)

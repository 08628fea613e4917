-- title: The precision-recall curve of each run on each topic at levels of recall
-- parameters: rel, points
-- columns:
--   qrels       judgment set
--   run         run
--   topic       topic
--   recall      level of recall
--   precision   highest precision at any recall of at least the level
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    interpolated_curve.recall,
    interpolated_curve.precision
from evaluated_topics
join interpolated_curve(points := $points, rel := $rel) as interpolated_curve
    on interpolated_curve.evaluation_id = evaluated_topics.evaluation_id

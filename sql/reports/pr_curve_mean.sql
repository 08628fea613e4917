-- title: The precision-recall curve of each run, averaged over topics at levels of recall
-- parameters: rel, points
-- columns: qrels, run
--   recall      level of recall
--   precision   mean over the topics of the highest precision at any recall of at least the level
--   num_topics  topics averaged
select
    qrels,
    run,
    recall,
    -- The order makes the sum the same to the last digit each time.
    sum(precision order by topic) / count(*) as precision,
    count(*) as num_topics
from pr_curve_topics(points := $points, rel := $rel)
group by qrels, run, recall

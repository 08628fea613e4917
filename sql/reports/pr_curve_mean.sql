-- title: The precision-recall curve of each run, averaged over topics at levels of recall
-- parameters:
--   rel integer in [0, inf) = 1     least grade that counts as relevant
--   points varchar = 0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1   levels of recall, separated by commas
-- columns:
--   qrels       judgment set
--   run         run
--   recall      level of recall
--   precision   mean over the topics of the highest precision at any recall of at least the level
--   num_topics  topics averaged
select
    qrels,
    run,
    recall,
    sum(precision) / count(*) as precision,
    count(*) as num_topics
from pr_curve_topics(points := $points, rel := $rel)
group by qrels, run, recall

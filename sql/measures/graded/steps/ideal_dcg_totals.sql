-- title: Discounted cumulative gain of each topic's judged documents in the best possible order
-- parameters:
--   k integer in [1, inf) = null             rank cutoff; null is all judged documents
--   dcg varchar in {log2, exp-log2} = log2   gain by grade: log2 takes the grade, exp-log2 takes 2^grade
--                                            - 1
--   gains varchar = null                     explicit gains, as '1=0.5,2=1'; a grade not listed is worth 0,
--                                            or what dcg gives it where the list ends in ,*
-- columns:
--   qrels_id   key of the judgment set
--   topic_id   key of the topic
--   total      sum of gain / log2(rank + 1) over the first k
select
    qrels_id,
    topic_id,
    sum(gain * ln(2) / ln(rank + 1)) as total
from ideal_gains(dcg := $dcg, gains := $gains)
where rank <= coalesce($k, rank)
group by qrels_id, topic_id

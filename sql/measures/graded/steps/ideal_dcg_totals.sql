-- title: Discounted cumulative gain of each topic's judged documents in the best possible order
-- parameters: k, dcg, gains
--   k integer in [1, inf) = null             rank cutoff; null is all judged documents
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

-- title: Discounted cumulative gain of each ranking that has any
-- parameters: k, dcg, gains, judged_only, ties
-- columns:
--   evaluation_id   key of the evaluation
--   total           sum of gain / log2(rank + 1) over the first k
select
    evaluation_id,
    sum(gain * ln(2) / ln(rank + 1)) as total
from gains_by_rank(dcg := $dcg, gains := $gains, judged_only := $judged_only, ties := $ties)
where rank <= coalesce($k, rank)
group by evaluation_id

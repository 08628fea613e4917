-- title: Means of runs beside those without the documents that each run alone gives to the pool
-- inputs: means, left_means
-- columns: qrels, run, measure
--   value           mean by all judgments
--   value_without   mean by those that are left
--   difference      value_without less value
select
    means.qrels,
    means.run,
    means.measure,
    means.value,
    left_means.value as value_without,
    left_means.value - means.value as difference
from means
join left_means using (qrels, run, measure)

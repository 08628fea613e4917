-- measure: Success
-- title: Success at a cutoff
-- aliases: success.k
-- parameters:
--   k integer? in [1, inf) = 10     rank cutoff; null is the whole ranking
--   rel integer in [0, inf) = 1     least grade that counts as relevant
-- definition: 1 if a relevant document is among the first k, else 0.
-- reference: Tomlinson 2005, First Relevant Score, poster at TREC 2005
-- range: 0 1
-- mean: arithmetic
-- example: single-value-2 Success@2 = 0
-- example: single-value-2 Success@3 = 1
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    cast(case when first_relevant.rank <= coalesce($k, first_relevant.rank) then 1 else 0 end as double) as value
from evaluated
left join first_relevant(rel := $rel) as first_relevant
    on first_relevant.evaluation_id = evaluated.evaluation_id

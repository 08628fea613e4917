-- measure: FRS
-- title: First relevant score
-- aliases: first_relevant_score
-- parameters:
--   base double in (1, inf) = 1.08  discount per rank; 1.08 makes it a smooth Success@10, 1.024 a smooth
--    Success@30
--   rel integer in [0, inf) = 1     least grade that counts as relevant
-- definition: base^(1 - r), r being the rank of the first relevant document; 0 if none is retrieved.
-- reference: Tomlinson 2005, First Relevant Score, poster at TREC 2005
-- range: 0 1
-- mean: arithmetic
-- example: first-relevant-score FRS = 0.4964
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    coalesce(pow($base, 1 - first_relevant.rank), 0) as value
from evaluated
left join first_relevant(rel := $rel) as first_relevant
    on first_relevant.evaluation_id = evaluated.evaluation_id

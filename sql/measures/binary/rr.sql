-- measure: RR
-- title: Reciprocal rank of the first relevant document
-- aliases: MRR, recip_rank
-- parameters:
--   k integer in [1, inf) = null    rank cutoff; null is the whole ranking
--   rel integer in [0, inf) = 1     least grade that counts as relevant
-- definition: 1 / r, r being the rank of the first relevant document; 0 if none is among the first k.
-- reference: Voorhees 1999, The TREC-8 Question Answering Track Report
-- differs: ir_measures takes RR with a cutoff from a provider that breaks ties by document id ascending.
-- range: 0 1
-- mean: arithmetic
-- example: single-value-2 RR = 0.33
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    case
        when first_relevant.rank <= coalesce($k, first_relevant.rank) then 1 / cast(first_relevant.rank as double)
        else 0
    end as value
from evaluated
left join first_relevant(rel := $rel) as first_relevant
    on first_relevant.evaluation_id = evaluated.evaluation_id

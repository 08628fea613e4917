-- title: How many relevant documents each ranking that has any holds
-- parameters:
--   k integer in [1, inf) = null    rank cutoff; null is the whole ranking
--   rel integer in [0, inf) = 1     least grade that counts as relevant
-- columns:
--   evaluation_id   key of the evaluation
--   num_rel_ret     relevant documents among the first k
select
    evaluation_id,
    count(*) as num_rel_ret
from relevant_ranks(rel := $rel)
where rank <= coalesce($k, rank)
group by evaluation_id

-- title: How many relevant documents each ranking that has any holds
-- parameters:
--   k integer in [1, inf) = null    rank cutoff; null is the whole ranking
--   rel integer in [0, inf) = 1   least grade that counts as relevant
--   judged_only boolean = false     whether documents without a grade of 0 or more are
--                                   left out of the rankings
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                     the worst, the best or what is expected over all orders
-- columns:
--   evaluation_id   key of the evaluation
--   num_rel_ret     relevant documents among the first k
select
    evaluation_id,
    sum(share) as num_rel_ret
from relevance_probabilities(rel := $rel, judged_only := $judged_only, ties := $ties)
where rank <= coalesce($k, rank)
group by evaluation_id

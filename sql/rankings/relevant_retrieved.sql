-- title: How many relevant documents each ranking that has any holds
-- parameters: k, rel, judged_only, ties
-- columns:
--   evaluation_id   key of the evaluation
--   num_rel_ret     relevant documents among the first k
select
    evaluation_id,
    sum(share) as num_rel_ret
from relevance_probabilities(rel := $rel, judged_only := $judged_only, ties := $ties)
where rank <= coalesce($k, rank)
group by evaluation_id

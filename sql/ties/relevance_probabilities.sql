-- title: How likely a relevant document stands at a rank, over all orders of tied documents
-- parameters: rel, judged_only
-- columns:
--   evaluation_id   key of the evaluation
--   rank            a rank of a tie that holds relevant documents
--   probability     that a relevant document stands there
select
    evaluation_id,
    rank,
    num_rel / (last_rank - first_rank + 1) as probability
from tie_group_ranks(rel := $rel, judged_only := $judged_only)

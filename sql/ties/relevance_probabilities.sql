-- title: Places where relevant documents stand, or how likely one stands there over all orders of tied documents
-- shared: yes
-- parameters: rel, judged_only, ties
-- columns:
--   evaluation_id   key of the evaluation
--   rank            place in the ranking
--   share           probability that the document there is relevant; 1 but for what is expected
select
    evaluation_id,
    rank,
    cast(1 as double) as share
from relevant_ranks(rel := $rel, judged_only := $judged_only, ties := $ties)
where $ties <> 'expected'
union all
select
    evaluation_id,
    rank,
    cast(num_rel as double) / (last_rank - first_rank + 1) as share
from tie_group_ranks(rel := $rel, judged_only := $judged_only)
where $ties = 'expected'

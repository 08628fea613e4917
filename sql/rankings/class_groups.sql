-- title: Tied and single documents that hold a relevant one, with those not relevant among and above them
-- parameters: rel, nonrelevant
-- columns:
--   evaluation_id   key of the evaluation
--   first_rank      place of the first of them
--   last_rank       place of the last of them
--   num_rel         relevant documents among them
--   num_nonrel      documents not relevant among them
--   rel_above       relevant documents above all of them
--   nonrel_above    documents not relevant above all of them
select
    evaluation_id,
    first_rank,
    last_rank,
    num_rel,
    case
        when $nonrelevant = 'judged' then num_nonrel
        else last_rank - first_rank + 1 - num_rel
    end as num_nonrel,
    rel_above,
    case
        when $nonrelevant = 'judged' then nonrel_above
        else first_rank - 1 - rel_above
    end as nonrel_above
from tie_groups(rel := $rel)
where num_rel > 0

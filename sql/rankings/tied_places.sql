-- title: Every place of every group of tied documents that holds a relevant one
-- parameters:
--   rel integer = 1   least grade that counts as relevant
--   judged_only boolean = false  whether documents without a grade of 0 or more are
--                                left out of the rankings
-- columns:
--   evaluation_id   key of the evaluation
--   rank            a place of the group
--   first_rank      its first place
--   last_rank       its last place
--   num_rel         relevant documents in the group
--   rel_above       relevant documents above it
select
    evaluation_id,
    first_rank as rank,
    first_rank,
    last_rank,
    num_rel,
    rel_above
from tie_groups(rel := $rel, judged_only := $judged_only)
where
    num_rel > 0
    and first_rank = last_rank
union all
select
    tie_groups.evaluation_id,
    places.place as rank,
    tie_groups.first_rank,
    tie_groups.last_rank,
    tie_groups.num_rel,
    tie_groups.rel_above
from tie_groups(rel := $rel, judged_only := $judged_only) as tie_groups
join places on places.place between tie_groups.first_rank and tie_groups.last_rank
where
    tie_groups.num_rel > 0
    and tie_groups.first_rank < tie_groups.last_rank

-- title: Every place of every group of tied documents that holds a relevant one
-- parameters: rel, judged_only
-- columns:
--   evaluation_id   key of the evaluation
--   rank            a place of the group
--   first_rank      its first place
--   last_rank       its last place
--   num_rel         relevant documents in the group
--   rel_above       relevant documents above it
with holding as (
    select
        evaluation_id,
        first_rank,
        last_rank,
        num_rel,
        rel_above
    from tie_groups(rel := $rel, judged_only := $judged_only)
    where num_rel > 0
)
select
    evaluation_id,
    first_rank as rank,
    first_rank,
    last_rank,
    num_rel,
    rel_above
from holding
where first_rank = last_rank
union all
select
    holding.evaluation_id,
    ranks_to_longest.rank as rank,
    holding.first_rank,
    holding.last_rank,
    holding.num_rel,
    holding.rel_above
from holding
join ranks_to_longest on ranks_to_longest.rank between holding.first_rank and holding.last_rank
where holding.first_rank < holding.last_rank

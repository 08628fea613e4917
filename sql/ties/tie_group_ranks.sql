-- title: Every rank of every tie that holds relevant documents
-- parameters: rel, judged_only
-- columns:
--   evaluation_id   key of the evaluation
--   rank            a rank of the tie
--   first_rank      its first rank
--   last_rank       its last rank
--   num_rel         relevant documents in the tie
--   rel_above       relevant documents above it
select
    evaluation_id,
    first_rank as rank,
    first_rank,
    last_rank,
    num_rel,
    rel_above
from relevant_ties(rel := $rel, judged_only := $judged_only)
where first_rank = last_rank
union all
select
    ties.evaluation_id,
    ranks_to_longest.rank as rank,
    ties.first_rank,
    ties.last_rank,
    ties.num_rel,
    ties.rel_above
from relevant_ties(rel := $rel, judged_only := $judged_only) as ties
join ranks_to_longest on ranks_to_longest.rank between ties.first_rank and ties.last_rank
where ties.first_rank < ties.last_rank

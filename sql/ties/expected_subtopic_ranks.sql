-- title: What subtopic_ranks is expected to give over all orders of tied documents
-- definition: As in expected_relevant_ranks.
-- parameters: rel, judged_only
-- columns: evaluation_id, subtopic
--   rank            a rank of a tie that holds documents relevant to it
--   relevant_rank   documents relevant to it expected down to one that stands there
--   share           number of documents relevant to it expected there
select
    ties.evaluation_id,
    ties.subtopic,
    tie_ranks.rank,
    ties.rel_above + 1 + tie_ranks.part_above * (ties.num_rel - 1) as relevant_rank,
    ties.num_rel / tie_ranks.size as share
from subtopic_ties(rel := $rel, judged_only := $judged_only) as ties
join tie_ranks(judged_only := $judged_only) as tie_ranks using (first_rank, last_rank)

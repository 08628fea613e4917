-- title: What relevant_ranks is expected to give over all orders of tied documents
-- definition: Each of a tie's documents stands at each of its ranks with the same probability. Beside a relevant
--    document the others of the tie are spread evenly over the remaining ranks.
-- parameters: rel, judged_only
-- columns: evaluation_id
--   rank            a rank of a tie that holds relevant documents
--   judged_rank     null
--   relevant_rank   relevant documents expected down to it if one stands there
--   share           probability that one does
select
    ties.evaluation_id,
    tie_ranks.rank,
    cast(null as integer) as judged_rank,
    ties.rel_above + 1 + tie_ranks.part_above * (ties.num_rel - 1) as relevant_rank,
    ties.num_rel / tie_ranks.size as share
from relevant_ties(rel := $rel, judged_only := $judged_only) as ties
join tie_ranks(judged_only := $judged_only) as tie_ranks using (first_rank, last_rank)

-- title: Where relevant documents are expected over all orders of tied documents, and how many stand down to them
-- definition: Each of a tie's documents stands at each of its ranks with the same probability. Beside a relevant
--    document the others of the tie are spread evenly over the remaining ranks.
-- parameters: rel, judged_only
-- columns:
--   evaluation_id   key of the evaluation
--   rank            a rank of a tie that holds relevant documents
--   probability     that a relevant document stands there
--   relevant_rank   relevant documents expected down to it if one does
select
    evaluation_id,
    rank,
    num_rel / (last_rank - first_rank + 1) as probability,
    rel_above
        + 1
        + coalesce(
            cast(rank - first_rank as double) * (num_rel - 1) / nullif(last_rank - first_rank, 0),
            0
        ) as relevant_rank
from tie_group_ranks(rel := $rel, judged_only := $judged_only)

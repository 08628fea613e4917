-- title: What precision is expected at each rank of a tie that holds relevant documents, over all its orders
-- definition: Each of the tie's documents stands at each of its ranks with the same probability. Beside a relevant
--    document the others of the tie are spread evenly over the remaining ranks.
-- parameters: rel, judged_only
-- columns:
--   evaluation_id   key of the evaluation
--   rank            a rank of the tie
--   probability     that a relevant document stands there
--   precision       precision there in the orders in which one does, times that probability
select
    evaluation_id,
    rank,
    cast(num_rel as double) / (last_rank - first_rank + 1) as probability,
    cast(num_rel as double)
        / (last_rank - first_rank + 1)
        * (
            rel_above
            + 1
            + coalesce(
                cast(rank - first_rank as double) * (num_rel - 1) / nullif(last_rank - first_rank, 0),
                0
            )
        )
        / rank as precision
from tie_group_ranks(rel := $rel, judged_only := $judged_only)

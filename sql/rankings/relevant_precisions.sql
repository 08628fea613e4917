-- title: Precision at the places of relevant documents, or what is expected of it over all orders of tied documents
-- shared: yes
-- parameters:
--   rel integer in [0, inf) = 1   least grade that counts as relevant
--   judged_only boolean = false   whether documents without a grade of 0 or more are
--                                 left out of the rankings
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                     the worst, the best or what is expected over all orders
-- columns:
--   evaluation_id   key of the evaluation
--   rank            place in the ranking
--   precision       precision at that place, times the probability that a relevant document stands there
--   share           that probability; 1 but for what is expected
select
    evaluation_id,
    rank,
    cast(nth as double) / rank as precision,
    cast(1 as double) as share
from relevant_ranks(rel := $rel, judged_only := $judged_only, ties := $ties)
where $ties <> 'expected'
union all
-- Beside one of num_rel relevant documents the others are spread evenly over the remaining places of the group.
select
    evaluation_id,
    rank,
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
        / rank as precision,
    cast(num_rel as double) / (last_rank - first_rank + 1) as share
from tie_group_ranks(rel := $rel, judged_only := $judged_only)
where $ties = 'expected'

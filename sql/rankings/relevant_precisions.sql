-- title: Precision at the places of relevant documents, or what is expected of it over all orders of tied documents
-- shared: yes
-- parameters: rel, judged_only, ties
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

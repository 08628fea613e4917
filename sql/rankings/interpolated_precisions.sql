-- title: Interpolated precision at each relevant document: the highest precision there or below
-- parameters: rel, judged_only, ties in {rule, worst, best}
-- columns:
--   evaluation_id   key of the evaluation
--   rank            place in the ranking
--   nth             how many relevant documents stand here or above
--   precision       highest precision at this or a later relevant document
select
    evaluation_id,
    rank,
    nth,
    max(cast(nth as double) / rank) over (
        partition by evaluation_id
        order by nth desc
        rows between unbounded preceding and current row
    ) as precision
from relevant_ranks(rel := $rel, judged_only := $judged_only, ties := $ties)

-- title: Interpolated precision at each relevant document: the highest precision there or below
-- parameters:
--   rel integer in [0, inf) = 1   least grade that counts as relevant
--   judged_only boolean = false   whether documents without a grade of 0 or more are
--                                 left out of the rankings
--   ties varchar in {rule, worst, best} = rule   order of tied documents: the tie rule's, or
--                                     the worst or the best over all orders
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

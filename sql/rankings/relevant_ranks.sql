-- title: Ranks of the relevant documents, with what stands above them
-- parameters:
--   rel integer in [0, inf) = 1   least grade that counts as relevant
-- columns:
--   evaluation_id   key of the evaluation
--   rank            place in the ranking
--   nth             how many relevant documents stand here or above
--   nonrel_above    how many documents judged not relevant stand above
with counted as (
    select
        evaluation_id,
        rank,
        grade,
        count(case when grade >= $rel then 1 end) over ranking as nth,
        count(case when grade >= 0 and grade < $rel then 1 end) over ranking as nonrel_above
    from judged_ranks
    window ranking as (
        partition by evaluation_id
        order by rank
        rows between unbounded preceding and current row
    )
)
select
    evaluation_id,
    rank,
    nth,
    nonrel_above
from counted
where grade >= $rel

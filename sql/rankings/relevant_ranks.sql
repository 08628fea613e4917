-- title: Ranks of the relevant documents, with what stands above them
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
--   nonrel_above    how many documents judged not relevant stand above
with counted as (
    select
        evaluation_id,
        rank,
        first_rank,
        last_rank,
        grade,
        count(case when grade >= $rel then 1 end) over ranking as nth,
        count(case when grade >= 0 and grade < $rel then 1 end) over ranking as nonrel_above,
        row_number() over (
            partition by evaluation_id, first_rank, case when grade >= $rel then 1 else 0 end
            order by grade desc, case when $ties = 'best' then rank else -rank end
        ) as nth_of_tied
    from counted_ranks(judged_only := $judged_only)
    window ranking as (
        partition by evaluation_id
        order by
            case when $ties = 'rule' then rank else first_rank end,
            case when $ties = 'best' then -grade when $ties = 'worst' then grade end,
            rank
        rows between unbounded preceding and current row
    )
)
select
    evaluation_id,
    case
        when $ties = 'best' then first_rank + nth_of_tied - 1
        when $ties = 'worst' then last_rank - nth_of_tied + 1
        else rank
    end as rank,
    nth,
    nonrel_above
from counted
where grade >= $rel

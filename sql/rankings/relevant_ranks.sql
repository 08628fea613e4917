-- title: Ranks of the relevant documents, with what stands above them
-- shared: yes
-- parameters: rel, judged_only, ties in {rule, worst, best}
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
        judged_rank,
        relevant_rank,
        grade
    from counted_ranks(judged_only := $judged_only)
),
ordered as (
    select
        evaluation_id,
        rank,
        first_rank,
        last_rank,
        judged_rank,
        relevant_rank,
        grade,
        rank as turn
    from counted
    where $ties = 'rule'
    union all
    select
        evaluation_id,
        rank,
        first_rank,
        last_rank,
        row_number() over turns as judged_rank,
        null as relevant_rank,
        grade,
        row_number() over turns as turn
    from counted
    where
        $ties <> 'rule'
        and grade >= least($rel, 0)
    window turns as (
        partition by evaluation_id
        order by first_rank, case when $ties = 'best' then -grade else grade end, rank
    )
),
relevant as (
    -- Numbering rows costs a fraction of a running count, and is left out where nothing reads it.
    select
        evaluation_id,
        rank,
        first_rank,
        last_rank,
        judged_rank,
        case
            when $rel = 1 and $ties = 'rule' then relevant_rank
            else row_number() over (
                partition by evaluation_id
                order by turn
            )
        end as nth,
        row_number() over (
            partition by evaluation_id, first_rank
            order by grade desc, case when $ties = 'best' then rank else -rank end
        ) as nth_of_tied
    from ordered
    where grade >= $rel
)
select
    evaluation_id,
    case
        when $ties = 'best' then first_rank + nth_of_tied - 1
        when $ties = 'worst' then last_rank - nth_of_tied + 1
        else rank
    end as rank,
    nth,
    judged_rank - nth as nonrel_above
from relevant

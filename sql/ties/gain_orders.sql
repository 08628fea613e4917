-- title: What each tie that holds gains adds to the sum of G in the worst or the best order, or as expected over all
-- parameters: gains, ties
--   ties varchar in {worst, best, expected} = best   the worst or the best order, or all orders alike
-- columns:
--   evaluation_id   key of the evaluation
--   first_rank      place of the first document of the tie
--   total           what its documents add; null where there are too many sets of them to try, or where some have gains
--                   below 0 and the worst or the best is looked for
with recursive additions as (
    select
        evaluation_id,
        first_rank,
        num_kinds,
        set_number,
        next_number,
        is_last,
        addition
    from gain_additions(gains := $gains, ties := $ties)
),
orders as (
    -- What a document adds depends on which documents are above it, not on their order: of each set one order is kept.
    select distinct
        evaluation_id,
        first_rank,
        cast(0 as double) as set_number,
        false as is_last,
        cast(0 as double) as total
    from additions
    where
        num_kinds > 1
        and $ties <> 'expected'
    union all
    select
        evaluation_id,
        first_rank,
        set_number,
        is_last,
        total
    from (
        select
            additions.evaluation_id as evaluation_id,
            additions.first_rank as first_rank,
            additions.next_number as set_number,
            additions.is_last as is_last,
            orders.total + additions.addition as total,
            row_number() over (
                partition by additions.evaluation_id, additions.first_rank, additions.next_number
                order by (orders.total + additions.addition) * case when $ties = 'best' then -1 else 1 end
            ) as place
        from orders
        join additions
            on additions.evaluation_id = orders.evaluation_id
            and additions.first_rank = orders.first_rank
            and additions.set_number = orders.set_number
    ) as longer
    where place = 1
),
totals as (
    select
        evaluation_id,
        first_rank,
        total
    from orders
    where is_last
    union all
    select
        evaluation_id,
        first_rank,
        sum(addition) as total
    from additions
    where
        num_kinds = 1
        or $ties = 'expected'
    group by evaluation_id, first_rank
)
select
    kinds.evaluation_id as evaluation_id,
    kinds.first_rank as first_rank,
    totals.total as total
from gain_kinds(gains := $gains) as kinds
left join totals
    on totals.evaluation_id = kinds.evaluation_id
    and totals.first_rank = kinds.first_rank
where
    kinds.nth = 1
    and $ties <> 'rule'

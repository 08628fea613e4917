-- title: What each tie adds to a mean over judgment groups, in the worst or the best order
-- parameters: rel, judged_only, measure, depth, ties
--   judged_only boolean = false     whether ranks count only documents to which the group gave a grade of 0 or
--                                   more
--   measure varchar in {AP, P, Rprec} = AP   what is averaged over the groups
--   depth double = 1.0              of P the cutoff, of Rprec the cutoff as a multiple of the relevant documents
--   ties varchar in {worst, best} = best   the worst or the best order
-- columns:
--   evaluation_id   key of the evaluation
--   first_rank      place of the first document of the tie
--   total           what its documents add; null where there are too many sets of them to try
with recursive additions as (
    select
        evaluation_id,
        first_rank,
        set_number,
        next_number,
        is_last,
        is_only,
        addition
    from group_additions(
        rel := $rel, judged_only := $judged_only, measure := $measure, depth := $depth, ties := $ties
    )
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
    where not is_only
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
    where is_only
    group by evaluation_id, first_rank
),
tied as (
    select distinct
        evaluation_id,
        first_rank
    from group_states(rel := $rel, judged_only := $judged_only)
    where is_wanted
)
select
    tied.evaluation_id as evaluation_id,
    tied.first_rank as first_rank,
    totals.total as total
from tied
left join totals
    on totals.evaluation_id = tied.evaluation_id
    and totals.first_rank = tied.first_rank
where $ties in ('worst', 'best')

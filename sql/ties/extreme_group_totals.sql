-- title: What all ties add to a mean over judgment groups, each in its worst or its best order
-- definition: What a document adds depends on which documents of the tie stand above it, not on their order. So for
--    each set of them only the best order, or the worst, is continued.
-- parameters: rel, judged_only, measure, depth, ties in {worst, best} = best
--   judged_only boolean = false   whether ranks count only documents to which the group gave a grade of 0 or more
--   measure varchar in {AP, P, Rprec} = AP   what is averaged over the groups
--   depth double = 1.0            of P the cutoff, of Rprec the cutoff as a multiple of the relevant documents
-- columns:
--   evaluation_id   key of the evaluation
--   total           what the documents add; null where some tie has too many sets of them to try
with recursive additions as (
    select
        evaluation_id,
        first_rank,
        set_number,
        next_number,
        is_last,
        is_only,
        addition
    from prefix_additions(
        rel := $rel, judged_only := $judged_only, measure := $measure, depth := $depth, ties := $ties
    )
),
orders as (
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
            ) as order_number
        from orders
        join additions
            on additions.evaluation_id = orders.evaluation_id
            and additions.first_rank = orders.first_rank
            and additions.set_number = orders.set_number
    ) as longer
    where order_number = 1
),
tie_totals as (
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
    from group_judgments(rel := $rel, judged_only := $judged_only)
    where is_relevant
)
select
    tied.evaluation_id as evaluation_id,
    case when count(*) = count(tie_totals.total) then sum(tie_totals.total) end as total
from tied
left join tie_totals
    on tie_totals.evaluation_id = tied.evaluation_id
    and tie_totals.first_rank = tied.first_rank
group by tied.evaluation_id

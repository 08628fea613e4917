-- title: What all ties add to a mean over judgment groups, each in its worst or its best order
-- definition: What a document adds depends on which documents of the tie stand above it, not on their order. So for
--    each set of them only the best order, or the worst, is continued.
-- parameters: rel, judged_only, measure, depth, ties in {worst, best} = best
--   judged_only boolean = false   whether ranks count only documents to which the group gave a grade of 0 or more
-- columns: evaluation_id
--   depth   the cutoff, or the multiple
--   total   what the documents add; null where some tie has too many sets of them to try
with recursive additions as (
    select *
    from prefix_additions(
        rel := $rel, judged_only := $judged_only, measure := $measure, depth := $depth, ties := $ties
    )
),
orders as (
    select distinct
        additions.evaluation_id,
        additions.first_rank,
        cast(0 as double) as set_number,
        false as is_last,
        additions.depth,
        cast(0 as double) as total
    from additions
    where not additions.is_only
    union all
    select
        longer.evaluation_id,
        longer.first_rank,
        longer.set_number,
        longer.is_last,
        longer.depth,
        longer.total
    from (
        select
            additions.evaluation_id as evaluation_id,
            additions.first_rank as first_rank,
            additions.next_number as set_number,
            additions.is_last as is_last,
            additions.depth as depth,
            orders.total + additions.addition as total,
            row_number() over (
                partition by
                    additions.evaluation_id, additions.first_rank, additions.next_number, additions.depth
                order by (orders.total + additions.addition) * case when $ties = 'best' then -1 else 1 end
            ) as order_number
        from orders
        join additions using (evaluation_id, first_rank, set_number, depth)
    ) as longer
    where longer.order_number = 1
),
tie_totals as (
    select
        orders.evaluation_id,
        orders.first_rank,
        orders.depth,
        orders.total
    from orders
    where orders.is_last
    union all
    select
        additions.evaluation_id,
        additions.first_rank,
        additions.depth,
        fsum(additions.addition) as total
    from additions
    where additions.is_only
    group by additions.evaluation_id, additions.first_rank, additions.depth
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
    depths.value as depth,
    case when count(*) = count(tie_totals.total) then fsum(tie_totals.total) end as total
from tied
cross join given_values(given := $depth) as depths
left join tie_totals
    on tie_totals.evaluation_id = tied.evaluation_id
    and tie_totals.first_rank = tied.first_rank
    and tie_totals.depth = depths.value
group by tied.evaluation_id, depths.value

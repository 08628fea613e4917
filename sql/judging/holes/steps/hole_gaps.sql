-- title: The gaps of each ranking: holes that stand together between two judged documents, or at an end
-- parameters: k
-- columns: evaluation_id
--   size               holes of the gap
--   holes_down         holes down to its last one
--   last_rank          rank of its last one; it ends at the cutoff at the latest
--   rel_above          documents with a grade of 1 or more above
--   judged_ranks       sum of the ranks of the judged documents above
--   judged_discounts   sum of their discounts, 1 / log2(rank + 1)
with judged_above as (
    select
        evaluation_id,
        rank - judged_rank as holes_above,
        rank,
        rank as own_rank,
        grade >= 1 as is_relevant
    from asked_ranks()
    where
        grade >= 0
        and rank <= coalesce($k, 2147483647)
    union all
    -- The end of a ranking is below its last gap.
    select
        evaluation_id,
        num_holes as holes_above,
        least(coalesce($k, num_ret), num_ret) + 1 as rank,
        null as own_rank,
        false as is_relevant
    from hole_counts(k := $k, unseen := 0)
),
blocks as (
    -- What stands together without a hole between.
    select
        evaluation_id,
        holes_above,
        min(rank) as first_rank,
        count(case when is_relevant then 1 end) as num_rel,
        coalesce(sum(own_rank), 0) as ranks,
        coalesce(sum(1 / log2(own_rank + 1)), 0) as discounts
    from judged_above
    group by evaluation_id, holes_above
),
gaps as (
    select
        evaluation_id,
        holes_above - lag(holes_above, 1, 0) over down as size,
        holes_above as holes_down,
        first_rank - 1 as last_rank,
        sum(num_rel) over down - num_rel as rel_above,
        sum(ranks) over down - ranks as judged_ranks,
        sum(discounts) over down - discounts as judged_discounts
    from blocks
    window down as (
        partition by evaluation_id
        order by holes_above
        rows between unbounded preceding and current row
    )
)
select *
from gaps
where size > 0

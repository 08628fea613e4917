-- title: The gaps of each ranking: holes that stand together between two judged documents, or at an end
-- parameters: k
-- columns: evaluation_id
--   size         holes of the gap
--   holes_down   holes down to its last one
--   last_rank    rank of its last one; it ends at the cutoff at the latest
--   rel_above    documents with a grade of 1 or more above
with judged_above as (
    select
        evaluation_id,
        rank,
        rank - judged_rank as holes_above,
        grade >= 1 as is_relevant
    from asked_ranks()
    where
        grade >= 0
        and rank <= coalesce($k, 2147483647)
    union all
    -- The end of a ranking is below its last gap.
    select
        evaluation_id,
        least(coalesce($k, num_ret), num_ret) + 1 as rank,
        num_holes as holes_above,
        false as is_relevant
    from hole_counts(k := $k, unseen := 0)
),
gaps as (
    select
        evaluation_id,
        rank - 1 - lag(rank, 1, 0) over above as size,
        holes_above as holes_down,
        rank - 1 as last_rank,
        count(case when is_relevant then 1 end) over above as rel_above
    from judged_above
    window above as (
        partition by evaluation_id
        order by rank
        rows between unbounded preceding and 1 preceding
    )
)
select *
from gaps
where size > 0

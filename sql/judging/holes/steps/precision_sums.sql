-- title: Sums of precisions with so many holes made relevant: the lowest ones, and the highest ones
-- parameters: k, rel, most, unseen
-- columns:
--   evaluation_id   key of the evaluation
--   bound           least or greatest
--   num_rel         relevant documents of the topic, with the holes made relevant and, at the least, all that is unseen
--   total           sum of the precision at each relevant document down to the cutoff
-- definition: With the number of relevant holes given, the sum is greatest where the highest holes are relevant, and
--    least where the lowest are: moving a relevant document up adds to the sum. Between the numbers of relevant holes
--    nothing is sure, so that there is a row for each. A new relevant document adds the precision at its own rank,
--    and to the precision at each relevant rank below 1 / rank.
with counted as materialized (
    select
        evaluation_id,
        rank,
        grade,
        count(case when grade >= $rel then 1 end) over down as rel_down,
        count(case when grade is null then 1 end) over down as holes_down,
        sum(case when grade >= $rel then 1 / cast(rank as double) else 0 end) over down as judged_down,
        sum(case when grade >= $rel or grade is null then 1 / cast(rank as double) else 0 end) over down as all_down
    from hole_ranks(k := $k)
    window down as (
        partition by evaluation_id
        order by rank
        rows between unbounded preceding and current row
    )
),
wholes as (
    -- Nothing that is counted down a ranking falls, so that its end has the greatest.
    select
        evaluation_id,
        max(holes_down) as num_holes,
        max(judged_down) as judged,
        max(all_down) as of_all
    from counted
    group by evaluation_id
),
judged_sums as (
    select
        evaluation_id,
        fsum(cast(rel_down as double) / rank) as total
    from counted
    where grade >= $rel
    group by evaluation_id
),
added_ranks as (
    -- What a hole adds that becomes relevant after all below it, and after all above it.
    select
        evaluation_id,
        rank,
        num_holes - holes_down + 1 as from_below,
        holes_down as from_above,
        cast(rel_down + 1 as double) / rank + of_all - all_down as after_lower,
        cast(rel_down + holes_down as double) / rank + judged - judged_down as after_higher
    from counted
    join wholes using (evaluation_id)
    where grade is null
),
additions as materialized (
    select
        evaluation_id,
        from_below,
        from_above,
        after_lower,
        sum(after_lower) over down as lower_down,
        sum(after_higher) over down as higher_down
    from added_ranks
    window down as (
        partition by evaluation_id
        order by rank
        rows between unbounded preceding and current row
    )
),
addition_sums as (
    select
        evaluation_id,
        max(lower_down) as lower_sum
    from additions
    group by evaluation_id
),
candidates as (
    select
        evaluation_id,
        'least' as bound,
        from_below as num_new,
        lower_sum - lower_down + after_lower as added
    from additions
    join addition_sums using (evaluation_id)
    union all
    select
        evaluation_id,
        'greatest' as bound,
        from_above as num_new,
        higher_down as added
    from additions
    union all
    select
        evaluations.evaluation_id as evaluation_id,
        bounds.bound,
        0 as num_new,
        0 as added
    from asked_evaluations() as evaluations
    cross join (values ('least'), ('greatest')) as bounds(bound)
)
select
    candidates.evaluation_id,
    candidates.bound,
    hole_counts.num_rel
        + candidates.num_new
        + case when candidates.bound = 'least' then hole_counts.new_unseen else 0 end as num_rel,
    coalesce(judged_sums.total, 0) + candidates.added as total
from candidates
join hole_counts(k := $k, rel := $rel, most := $most, unseen := $unseen) as hole_counts
    on hole_counts.evaluation_id = candidates.evaluation_id
left join judged_sums on judged_sums.evaluation_id = candidates.evaluation_id
where candidates.num_new <= hole_counts.new_rel

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
with marked as (
    select
        evaluation_id,
        rank,
        case when grade >= $rel then 1 else 0 end as relevant,
        case when grade is null then 1 else 0 end as hole
    from hole_ranks(k := $k)
),
counted as materialized (
    select
        evaluation_id,
        rank,
        relevant,
        hole,
        sum(relevant) over down as rel_down,
        sum(hole) over down as holes_down,
        sum(hole) over whole - sum(hole) over down as holes_below,
        sum(cast(relevant as double) / rank) over whole
            - sum(cast(relevant as double) / rank) over down as added_to_judged,
        sum(cast(relevant + hole as double) / rank) over whole
            - sum(cast(relevant + hole as double) / rank) over down as added_to_all
    from marked
    window
        whole as (
            partition by evaluation_id
            order by rank
            rows between unbounded preceding and unbounded following
        ),
        down as (
            partition by evaluation_id
            order by rank
            rows between unbounded preceding and current row
        )
),
judged_sums as (
    select
        evaluation_id,
        fsum(cast(rel_down as double) / rank) as total
    from counted
    where relevant = 1
    group by evaluation_id
),
hole_steps as (
    select
        evaluation_id,
        rank,
        holes_below + 1 as from_below,
        holes_down as from_above,
        cast(rel_down + 1 as double) / rank + added_to_all as step_from_below,
        cast(rel_down + holes_down as double) / rank + added_to_judged as step_from_above
    from counted
    where hole = 1
),
additions as materialized (
    select
        evaluation_id,
        from_below,
        from_above,
        sum(step_from_below) over whole - sum(step_from_below) over down + step_from_below as added_from_below,
        sum(step_from_above) over down as added_from_above
    from hole_steps
    window
        whole as (
            partition by evaluation_id
            order by rank
            rows between unbounded preceding and unbounded following
        ),
        down as (
            partition by evaluation_id
            order by rank
            rows between unbounded preceding and current row
        )
),
candidates as (
    select
        evaluation_id,
        'least' as bound,
        from_below as num_new,
        added_from_below as added
    from additions
    union all
    select
        evaluation_id,
        'greatest' as bound,
        from_above as num_new,
        added_from_above as added
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

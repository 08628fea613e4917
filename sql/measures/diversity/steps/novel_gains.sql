-- title: What documents gain for a subtopic at their places, or are expected to over all orders of tied documents
-- parameters: alpha, rel, judged_only, ties
--   judged_only boolean = false     whether ranks count only documents with a grade of 0 or more in any iteration
--   ties varchar in {rule, expected} = rule   order of tied documents: the tie rule's, or all orders alike
-- columns:
--   evaluation_id   key of the evaluation
--   subtopic        iteration of the judgments, which names the subtopic
--   rank            place in the ranking
--   gain            (1 - alpha)^n, n being how many documents relevant to the subtopic stand above
with tied as (
    select
        evaluation_id,
        subtopic,
        first_rank,
        last_rank - first_rank + 1 as size,
        count(*) as num_rel,
        min(nth) - 1 as rel_above
    from subtopic_ranks(rel := $rel, judged_only := $judged_only)
    where $ties = 'expected'
    group by evaluation_id, subtopic, first_rank, last_rank
),
shapes as (
    select distinct
        size,
        num_rel
    from tied
    where size > 1
),
starts as (
    -- The chance that the first so many documents of a tie are all relevant.
    select
        shapes.size as size,
        shapes.num_rel as num_rel,
        ranks_to_longest.rank as nth,
        sum(ln(cast(shapes.num_rel - ranks_to_longest.rank + 1 as double) / (shapes.size - ranks_to_longest.rank + 1))) over (
            partition by shapes.size, shapes.num_rel
            order by ranks_to_longest.rank
            rows between unbounded preceding and current row
        ) as logarithm
    from shapes
    join ranks_to_longest on ranks_to_longest.rank <= shapes.num_rel
),
steps as (
    -- By how much likelier the nth relevant document stands at this place of the tie than at the one above.
    select
        starts.size as size,
        starts.num_rel as num_rel,
        starts.nth as nth,
        ranks_to_longest.rank as place,
        case
            when ranks_to_longest.rank = starts.nth then starts.logarithm
            else ln(cast(ranks_to_longest.rank - 1 as double) / (ranks_to_longest.rank - starts.nth))
                + ln(
                    cast(starts.size - ranks_to_longest.rank + 1 - starts.num_rel + starts.nth as double)
                        / (starts.size - ranks_to_longest.rank + 1)
                )
        end as logarithm
    from starts
    join ranks_to_longest on ranks_to_longest.rank between starts.nth and starts.size - starts.num_rel + starts.nth
),
gains_of_each as (
    select
        size,
        num_rel,
        place,
        pow(1 - $alpha, nth - 1) * exp(
            sum(logarithm) over (
                partition by size, num_rel, nth
                order by place
                rows between unbounded preceding and current row
            )
        ) as gain
    from steps
),
expected as (
    select
        size,
        num_rel,
        place,
        sum(gain) as gain
    from gains_of_each
    group by size, num_rel, place
)
select
    evaluation_id,
    subtopic,
    rank,
    pow(1 - $alpha, nth - 1) as gain
from subtopic_ranks(rel := $rel, judged_only := $judged_only)
where $ties = 'rule'
union all
select
    evaluation_id,
    subtopic,
    first_rank as rank,
    pow(1 - $alpha, rel_above) as gain
from tied
where size = 1
union all
select
    tied.evaluation_id as evaluation_id,
    tied.subtopic as subtopic,
    tied.first_rank + expected.place - 1 as rank,
    pow(1 - $alpha, tied.rel_above) * expected.gain as gain
from tied
join expected
    on expected.size = tied.size
    and expected.num_rel = tied.num_rel

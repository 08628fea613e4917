-- title: Places where documents relevant to a subtopic stand, or how likely over all orders of tied documents
-- parameters:
--   rel integer in [0, inf) = 1     least grade that counts as relevant
--   judged_only boolean = false     whether ranks count only documents with a grade of 0 or more in any iteration
--   ties varchar in {rule, expected} = rule   order of tied documents: the tie rule's, or all orders alike
-- columns:
--   evaluation_id   key of the evaluation
--   subtopic        iteration of the judgments, which names the subtopic
--   rank            place in the ranking
--   nth             number of a document among those relevant to the subtopic, from the top
--   share           probability that it stands at that place; 1 but for what is expected
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
        places.place as nth,
        sum(ln(cast(shapes.num_rel - places.place + 1 as double) / (shapes.size - places.place + 1))) over (
            partition by shapes.size, shapes.num_rel
            order by places.place
            rows between unbounded preceding and current row
        ) as logarithm
    from shapes
    join places on places.place <= shapes.num_rel
),
steps as (
    -- By how much likelier the nth relevant document stands at this place of the tie than at the one above.
    select
        starts.size as size,
        starts.num_rel as num_rel,
        starts.nth as nth,
        places.place as place,
        case
            when places.place = starts.nth then starts.logarithm
            else ln(cast(places.place - 1 as double) / (places.place - starts.nth))
                + ln(
                    cast(starts.size - places.place + 1 - starts.num_rel + starts.nth as double)
                        / (starts.size - places.place + 1)
                )
        end as logarithm
    from starts
    join places on places.place between starts.nth and starts.size - starts.num_rel + starts.nth
),
shares as (
    select
        size,
        num_rel,
        nth,
        place,
        exp(
            sum(logarithm) over (
                partition by size, num_rel, nth
                order by place
                rows between unbounded preceding and current row
            )
        ) as share
    from steps
)
select
    evaluation_id,
    subtopic,
    rank,
    nth,
    cast(1 as double) as share
from subtopic_ranks(rel := $rel, judged_only := $judged_only)
where $ties = 'rule'
union all
select
    evaluation_id,
    subtopic,
    first_rank as rank,
    rel_above + 1 as nth,
    cast(1 as double) as share
from tied
where size = 1
union all
select
    tied.evaluation_id as evaluation_id,
    tied.subtopic as subtopic,
    tied.first_rank + shares.place - 1 as rank,
    tied.rel_above + shares.nth as nth,
    shares.share as share
from tied
join shares
    on shares.size = tied.size
    and shares.num_rel = tied.num_rel

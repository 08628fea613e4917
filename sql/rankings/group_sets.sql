-- title: Sets of tied documents that can stand above the others of their tie, by how many of each kind they hold
-- parameters:
--   rel integer in [0, inf) = 1     least grade that counts as relevant
--   judged_only boolean = false     whether it matters that a document has been judged not relevant
--   most_sets integer = 5000        ties with more sets than these are left out
-- columns:
--   evaluation_id   key of the evaluation
--   first_rank      place of the first document of the tie
--   set_number      number of the set; 0 is the empty one
--   num_docs        documents in it
with recursive kinds as (
    select distinct
        evaluation_id,
        first_rank,
        nth,
        num_docs,
        step
    from group_kinds(rel := $rel, judged_only := $judged_only)
    where num_sets <= $most_sets
),
numbers as (
    select 0 as number
    union all
    select place as number
    from places
),
sets as (
    select
        evaluation_id,
        first_rank,
        0 as nth,
        cast(0 as double) as set_number,
        0 as num_docs
    from kinds
    where nth = 1
    union all
    select
        sets.evaluation_id,
        sets.first_rank,
        sets.nth + 1 as nth,
        sets.set_number + numbers.number * kinds.step as set_number,
        sets.num_docs + numbers.number as num_docs
    from sets
    join kinds
        on kinds.evaluation_id = sets.evaluation_id
        and kinds.first_rank = sets.first_rank
        and kinds.nth = sets.nth + 1
    join numbers on numbers.number <= kinds.num_docs
),
last_kinds as (
    select
        evaluation_id,
        first_rank,
        max(nth) as nth
    from kinds
    group by evaluation_id, first_rank
)
select
    sets.evaluation_id as evaluation_id,
    sets.first_rank as first_rank,
    sets.set_number as set_number,
    sets.num_docs as num_docs
from sets
join last_kinds
    on last_kinds.evaluation_id = sets.evaluation_id
    and last_kinds.first_rank = sets.first_rank
    and last_kinds.nth = sets.nth

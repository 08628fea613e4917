-- title: Sets of tied documents that have a gain, by how many of each kind they hold
-- parameters: gains, most_sets
--   most_sets integer = 1000   ties with more sets than these are left out
-- columns: evaluation_id, first_rank
--   kind_number   number of a kind of the tie
--   set_number    number of the set; 0 is the empty one
--   num_members   documents of that kind in it
--   set_docs      documents in it
--   set_gain      sum of their gains
with recursive kinds as (
    select *
    from gain_kinds(gains := $gains)
    where num_sets <= $most_sets
),
sets as (
    select
        evaluation_id,
        first_rank,
        cast(0 as bigint) as kind_number,
        cast(0 as double) as set_number,
        cast(0 as bigint) as set_docs,
        cast(0 as double) as set_gain
    from kinds
    where kind_number = 1
    union all
    select
        sets.evaluation_id,
        sets.first_rank,
        kinds.kind_number,
        sets.set_number + numbers.number * kinds.step as set_number,
        sets.set_docs + numbers.number as set_docs,
        sets.set_gain + numbers.number * kinds.gain as set_gain
    from sets
    join kinds
        on kinds.evaluation_id = sets.evaluation_id
        and kinds.first_rank = sets.first_rank
        and kinds.kind_number = sets.kind_number + 1
    join numbers_to_longest as numbers on numbers.number <= kinds.num_docs
)
select
    sets.evaluation_id as evaluation_id,
    sets.first_rank as first_rank,
    kinds.kind_number as kind_number,
    sets.set_number as set_number,
    floor(sets.set_number / kinds.step)
        - (kinds.num_docs + 1) * floor(sets.set_number / (kinds.step * (kinds.num_docs + 1))) as num_members,
    sets.set_docs as set_docs,
    sets.set_gain as set_gain
from sets
join kinds
    on kinds.evaluation_id = sets.evaluation_id
    and kinds.first_rank = sets.first_rank
where sets.kind_number = kinds.num_kinds

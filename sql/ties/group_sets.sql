-- title: Sets of tied documents that may stand above the others of their tie, by how many of each kind they hold
-- parameters: rel, judged_only, ties, most_sets
--   judged_only boolean = false     whether it matters that a document has been judged not relevant
--   ties varchar in {worst, best} = best   whether the worst or the best order is looked for
--   most_sets integer = 1000        ties with more sets than these are left out
-- columns:
--   evaluation_id   key of the evaluation
--   first_rank      place of the first document of the tie
--   set_number      number of the set; 0 is the empty one
--   num_docs        documents in it
--   is_only         whether the tie has just one set of each size, and so one order of kinds
with recursive kind_groups as (
    select
        evaluation_id,
        first_rank,
        nth,
        num_docs,
        step,
        is_rel,
        judgment_group,
        last_number,
        tie_docs,
        sum(is_rel) over by_kind as num_rel,
        sum(1 - is_rel) over by_kind as num_nonrel
    from group_kinds(rel := $rel, judged_only := $judged_only)
    window by_kind as (partition by evaluation_id, first_rank, nth)
),
kinds as (
    select distinct
        evaluation_id,
        first_rank,
        nth,
        num_docs,
        step,
        last_number,
        tie_docs
    from kind_groups
),
dominations as (
    -- Relevant to all groups the other is relevant to, and judged not relevant by none but those that say so of both:
    -- in the best order it stands above the other.
    select
        upper_kind.evaluation_id as evaluation_id,
        upper_kind.first_rank as first_rank,
        lower_kind.nth as nth,
        upper_kind.num_docs as num_docs,
        upper_kind.step as step
    from kind_groups as upper_kind
    join kind_groups as lower_kind
        on lower_kind.evaluation_id = upper_kind.evaluation_id
        and lower_kind.first_rank = upper_kind.first_rank
        and lower_kind.judgment_group = upper_kind.judgment_group
        and lower_kind.is_rel = upper_kind.is_rel
        and lower_kind.nth > upper_kind.nth
    group by
        upper_kind.evaluation_id,
        upper_kind.first_rank,
        upper_kind.nth,
        upper_kind.num_docs,
        upper_kind.step,
        upper_kind.num_nonrel,
        lower_kind.nth,
        lower_kind.num_rel
    having
        sum(upper_kind.is_rel) = lower_kind.num_rel
        and sum(1 - upper_kind.is_rel) = upper_kind.num_nonrel
),
numbers as (
    select 0 as number
    union all
    select rank as number
    from ranks_to_longest
),
sets as (
    select
        evaluation_id,
        first_rank,
        0 as nth,
        cast(0 as double) as set_number,
        cast(0 as bigint) as num_docs,
        cast(1 as bigint) as num_sets
    from kinds
    where nth = 1
    union all
    select
        evaluation_id,
        first_rank,
        nth,
        set_number,
        num_docs,
        num_sets
    from (
        select
            sets.evaluation_id as evaluation_id,
            sets.first_rank as first_rank,
            kinds.nth as nth,
            sets.set_number + numbers.number * kinds.step as set_number,
            sets.num_docs + numbers.number as num_docs,
            count(*) over (partition by sets.evaluation_id, sets.first_rank) as num_sets
        from sets
        join kinds
            on kinds.evaluation_id = sets.evaluation_id
            and kinds.first_rank = sets.first_rank
            and kinds.nth = sets.nth + 1
        join numbers on numbers.number <= kinds.num_docs
        where
            numbers.number = 0
            or not exists (
                select 1
                from dominations
                where
                    dominations.evaluation_id = sets.evaluation_id
                    and dominations.first_rank = sets.first_rank
                    and dominations.nth = sets.nth + 1
                    and floor(sets.set_number / dominations.step)
                        - (dominations.num_docs + 1)
                        * floor(sets.set_number / (dominations.step * (dominations.num_docs + 1)))
                        < dominations.num_docs
            )
    ) as larger
    where num_sets <= $most_sets
),
whole as (
    select
        evaluation_id,
        first_rank,
        last_number,
        tie_docs,
        max(nth) as nth
    from kinds
    group by evaluation_id, first_rank, last_number, tie_docs
)
-- What is not in a set of the best order is a set of the worst.
select
    sets.evaluation_id as evaluation_id,
    sets.first_rank as first_rank,
    case when $ties = 'best' then sets.set_number else whole.last_number - sets.set_number end as set_number,
    case when $ties = 'best' then sets.num_docs else whole.tie_docs - sets.num_docs end as num_docs,
    sets.num_sets = whole.tie_docs + 1 as is_only
from sets
join whole
    on whole.evaluation_id = sets.evaluation_id
    and whole.first_rank = sets.first_rank
    and whole.nth = sets.nth
where $ties in ('worst', 'best')

-- title: Sets of tied documents that may stand above the others of their tie, by how many of each pattern they hold
-- parameters: rel, judged_only, ties in {worst, best} = best, most_sets
--   judged_only boolean = false   whether it matters that a document has been judged not relevant
--   most_sets integer = 1000        ties with more sets than these are left out
-- columns: evaluation_id, first_rank
--   set_number   number of the set, as judgment_patterns counts them; 0 is the empty one
--   num_docs     documents in it
--   is_only      whether the tie has just one set of each size, and so one order of patterns
with recursive group_patterns as (
    select
        *,
        sum(is_rel) over by_pattern as num_rel,
        sum(1 - is_rel) over by_pattern as num_nonrel
    from judgment_patterns(rel := $rel, judged_only := $judged_only)
    window by_pattern as (partition by evaluation_id, first_rank, pattern_number)
),
patterns as (
    select distinct
        evaluation_id,
        first_rank,
        pattern_number,
        num_docs,
        digit_value,
        last_number,
        docs_in_tie
    from group_patterns
),
dominations as (
    -- Relevant to all groups the other is relevant to, and judged not relevant by none but those that say so of both:
    -- in the best order it stands above the other.
    select
        upper_pattern.evaluation_id as evaluation_id,
        upper_pattern.first_rank as first_rank,
        lower_pattern.pattern_number as pattern_number,
        upper_pattern.num_docs as num_docs,
        upper_pattern.digit_value as digit_value
    from group_patterns as upper_pattern
    join group_patterns as lower_pattern
        on lower_pattern.evaluation_id = upper_pattern.evaluation_id
        and lower_pattern.first_rank = upper_pattern.first_rank
        and lower_pattern.judgment_group = upper_pattern.judgment_group
        and lower_pattern.is_rel = upper_pattern.is_rel
        and lower_pattern.pattern_number > upper_pattern.pattern_number
    group by
        upper_pattern.evaluation_id,
        upper_pattern.first_rank,
        upper_pattern.pattern_number,
        upper_pattern.num_docs,
        upper_pattern.digit_value,
        upper_pattern.num_nonrel,
        lower_pattern.pattern_number,
        lower_pattern.num_rel
    having
        sum(upper_pattern.is_rel) = lower_pattern.num_rel
        and sum(1 - upper_pattern.is_rel) = upper_pattern.num_nonrel
),
sets as (
    select
        evaluation_id,
        first_rank,
        cast(0 as bigint) as pattern_number,
        cast(0 as double) as set_number,
        cast(0 as bigint) as num_docs,
        cast(1 as bigint) as num_sets
    from patterns
    where pattern_number = 1
    union all
    select
        evaluation_id,
        first_rank,
        pattern_number,
        set_number,
        num_docs,
        num_sets
    from (
        select
            sets.evaluation_id as evaluation_id,
            sets.first_rank as first_rank,
            patterns.pattern_number as pattern_number,
            sets.set_number + numbers.number * patterns.digit_value as set_number,
            sets.num_docs + numbers.number as num_docs,
            count(*) over (partition by sets.evaluation_id, sets.first_rank) as num_sets
        from sets
        join patterns
            on patterns.evaluation_id = sets.evaluation_id
            and patterns.first_rank = sets.first_rank
            and patterns.pattern_number = sets.pattern_number + 1
        join numbers_to_longest as numbers on numbers.number <= patterns.num_docs
        where
            numbers.number = 0
            or not exists (
                select 1
                from dominations
                where
                    dominations.evaluation_id = sets.evaluation_id
                    and dominations.first_rank = sets.first_rank
                    and dominations.pattern_number = sets.pattern_number + 1
                    and floor(sets.set_number / dominations.digit_value)
                        - (dominations.num_docs + 1)
                        * floor(sets.set_number / (dominations.digit_value * (dominations.num_docs + 1)))
                        < dominations.num_docs
            )
    ) as larger
    where num_sets <= $most_sets
),
ties_with_patterns as (
    select
        evaluation_id,
        first_rank,
        last_number,
        docs_in_tie,
        max(pattern_number) as last_pattern
    from patterns
    group by evaluation_id, first_rank, last_number, docs_in_tie
)
-- What is not in a set of the best order is a set of the worst.
select
    sets.evaluation_id as evaluation_id,
    sets.first_rank as first_rank,
    case when $ties = 'best' then sets.set_number else whole.last_number - sets.set_number end as set_number,
    case when $ties = 'best' then sets.num_docs else whole.docs_in_tie - sets.num_docs end as num_docs,
    sets.num_sets = whole.docs_in_tie + 1 as is_only
from sets
join ties_with_patterns as whole
    on whole.evaluation_id = sets.evaluation_id
    and whole.first_rank = sets.first_rank
    and whole.last_pattern = sets.pattern_number

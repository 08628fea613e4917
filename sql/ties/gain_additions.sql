-- title: What a document with a gain adds to the sum of G where it stands next below a set of documents tied with it
-- parameters: gains, ties, most_sets, most_mixed
--   ties varchar in {worst, best, expected} = best   whether the documents without gain stand above them, below, or
--                           anywhere
--   most_sets integer = 1000      ties with more sets than these are left out
--   most_mixed integer = 100000   of what is expected, ties with more sets than these are left out, those of documents
--                           without gain being counted too
-- columns: evaluation_id, first_rank
--   num_kinds     kinds of documents with a gain in the tie
--   set_number    number of the set above, whose order does not matter
--   next_number   number of the set with the document
--   is_last       whether that is the whole tie
--   addition      what the document adds, times the probability of this where any order is as likely
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
),
held as (
    -- How many documents of each kind there are in each set that is complete.
    select
        kinds.*,
        sets.set_number,
        sets.set_docs,
        sets.set_gain,
        floor(sets.set_number / kinds.step)
            - (kinds.num_docs + 1) * floor(sets.set_number / (kinds.step * (kinds.num_docs + 1))) as num_members
    from sets
    join kinds using (evaluation_id, first_rank)
    where sets.kind_number = kinds.num_kinds
),
logarithms as (
    select
        0 as number,
        cast(0 as double) as ln_factorial
    union all
    select
        rank as number,
        sum(ln(rank)) over (order by rank rows between unbounded preceding and current row) as ln_factorial
    from ranks_to_longest
),
members as (
    select
        held.evaluation_id as evaluation_id,
        held.first_rank as first_rank,
        held.set_number as set_number,
        held.set_docs as set_docs,
        held.size as size,
        held.num_zero as num_zero,
        held.num_kinds as num_kinds,
        held.gain as gain,
        held.num_docs - held.num_members as num_left,
        held.set_number + held.step as next_number,
        held.set_number + held.step = held.num_sets - 1 as is_last,
        held.gain_above + held.set_gain + held.gain as total_gain,
        sum(all_docs.ln_factorial - in_set.ln_factorial - not_in_set.ln_factorial) over (
            partition by held.evaluation_id, held.first_rank, held.set_number
        ) as ln_choices
    from held
    join logarithms as all_docs on all_docs.number = held.num_docs
    join logarithms as in_set on in_set.number = held.num_members
    join logarithms as not_in_set on not_in_set.number = held.num_docs - held.num_members
    where
        ($ties = 'expected' and held.num_sets * (held.num_zero + 1) <= $most_mixed)
        or ($ties <> 'expected' and not held.has_loss)
),
ranked as (
    select
        members.evaluation_id as evaluation_id,
        members.first_rank as first_rank,
        members.num_kinds as num_kinds,
        members.set_number as set_number,
        members.next_number as next_number,
        members.is_last as is_last,
        members.gain as gain,
        members.total_gain as total_gain,
        members.first_rank + members.set_docs + zero_above.number as rank,
        case
            when $ties <> 'expected' then cast(1 as double)
            else exp(
                members.ln_choices
                    + all_zero.ln_factorial - zero_above.ln_factorial - zero_below.ln_factorial
                    - all_docs.ln_factorial + docs_above.ln_factorial + docs_below.ln_factorial
            ) * members.num_left / (members.size - members.set_docs - zero_above.number)
        end as probability
    from members
    join logarithms as zero_above
        on zero_above.number <= members.num_zero
        and (
            $ties = 'expected'
            or zero_above.number = case when $ties = 'best' then 0 else members.num_zero end
        )
    join logarithms as all_zero on all_zero.number = members.num_zero
    join logarithms as zero_below on zero_below.number = members.num_zero - zero_above.number
    join logarithms as all_docs on all_docs.number = members.size
    join logarithms as docs_above on docs_above.number = members.set_docs + zero_above.number
    join logarithms as docs_below
        on docs_below.number = members.size - members.set_docs - zero_above.number
    where members.num_left > 0
),
ideal as (
    select *
    from ideal_cumulated_gains(gains := $gains)
),
ideal_ends as (
    select
        qrels_id,
        topic_id,
        max(rank) as num_gained,
        max(cost) as cost
    from ideal
    group by qrels_id, topic_id
)
select
    ranked.evaluation_id,
    ranked.first_rank,
    ranked.num_kinds,
    ranked.set_number,
    ranked.next_number,
    ranked.is_last,
    ranked.probability * ranked.gain / log2(
        2 + coalesce(ideal.cost, ideal_ends.cost + ranked.rank - ideal_ends.num_gained) - ranked.total_gain
    ) as addition
from ranked
join asked_evaluations() as evaluations using (evaluation_id)
join ideal_ends using (qrels_id, topic_id)
left join ideal
    on ideal.qrels_id = evaluations.qrels_id
    and ideal.topic_id = evaluations.topic_id
    and ideal.rank = ranked.rank

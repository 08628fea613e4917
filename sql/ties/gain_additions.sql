-- title: What a document with a gain adds to the sum of G where it stands next below a set of documents tied with it
-- parameters: gains, ties, most_mixed
--   ties varchar in {worst, best, expected} = best   whether the documents without gain stand above them, below, or
--                           anywhere
--   most_mixed integer = 100000   of what is expected, ties with more sets than these are left out, those of documents
--                           without gain being counted too
-- columns: evaluation_id, first_rank
--   num_kinds     kinds of documents with a gain in the tie
--   set_number    number of the set above, whose order does not matter
--   next_number   number of the set with the document
--   is_last       whether that is the whole tie
--   addition      what the document adds, times the probability of this where any order is as likely
with logarithms as (
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
        sets.evaluation_id as evaluation_id,
        sets.first_rank as first_rank,
        sets.set_number as set_number,
        sets.set_docs as set_docs,
        kinds.size as size,
        kinds.num_zero as num_zero,
        kinds.num_kinds as num_kinds,
        kinds.gain as gain,
        kinds.num_docs - sets.num_members as num_left,
        sets.set_number + kinds.step as next_number,
        sets.set_number + kinds.step = kinds.num_sets - 1 as is_last,
        kinds.gain_above + sets.set_gain + kinds.gain as total_gain,
        sum(all_docs.ln_factorial - in_set.ln_factorial - not_in_set.ln_factorial) over (
            partition by sets.evaluation_id, sets.first_rank, sets.set_number
        ) as ln_choices
    from gain_sets(gains := $gains) as sets
    join gain_kinds(gains := $gains) as kinds
        on kinds.evaluation_id = sets.evaluation_id
        and kinds.first_rank = sets.first_rank
        and kinds.kind_number = sets.kind_number
    join logarithms as all_docs on all_docs.number = kinds.num_docs
    join logarithms as in_set on in_set.number = sets.num_members
    join logarithms as not_in_set on not_in_set.number = kinds.num_docs - sets.num_members
    where
        ($ties = 'expected' and kinds.num_sets * (kinds.num_zero + 1) <= $most_mixed)
        or ($ties <> 'expected' and not kinds.has_loss)
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
join asked_evaluations() as evaluations on evaluations.evaluation_id = ranked.evaluation_id
join ideal_ends
    on ideal_ends.qrels_id = evaluations.qrels_id
    and ideal_ends.topic_id = evaluations.topic_id
left join ideal
    on ideal.qrels_id = evaluations.qrels_id
    and ideal.topic_id = evaluations.topic_id
    and ideal.rank = ranked.rank

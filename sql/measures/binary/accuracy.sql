-- measure: Accuracy
-- title: How likely a relevant document stands before one that is not, among those retrieved
-- parameters: k, rel, ties
-- columns:
--   num_pairs   pairs of a relevant document and another one among the first k
-- definition: Of the pairs of a relevant document and another one among the first k, the share in which the
--    relevant one stands first; 1 if all are relevant, 0 if none is.
-- reference: MacAvaney, Macdonald and Ounis 2022, Streamlining evaluation with ir-measures,
--    doi:10.1007/978-3-030-99739-7_38
-- differs: ir_measures leaves topics without a relevant document retrieved out of the mean, where this counts them
--    with 0, and divides by 0 where all are relevant.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: user-models Accuracy = 0.8333
-- example: user-models Accuracy@2 = 1
with tied as (
    select
        evaluation_id,
        first_rank,
        last_rank - first_rank + 1 as size,
        least(coalesce($k, last_rank), last_rank) - first_rank + 1 as num_kept,
        num_rel,
        first_rank - 1 - rel_above as others_above
    from tie_groups(rel := $rel)
    where
        $ties <> 'rule'
        and num_rel > 0
        and first_rank <= coalesce($k, first_rank)
),
numbers as (
    select 0 as number
    union all
    select rank as number
    from ranks_to_longest
),
choices as (
    -- How many relevant documents of a tie that the cutoff cuts may stand above it.
    select
        tied.evaluation_id as evaluation_id,
        numbers.number as num_rel,
        tied.others_above as others_above,
        tied.num_kept - numbers.number as others_beside,
        case
            when numbers.number > greatest(tied.num_kept - tied.size + tied.num_rel, 0)
            then ln(
                cast(tied.num_kept - numbers.number + 1 as double)
                    * (tied.num_rel - numbers.number + 1)
                    / numbers.number
                    / (tied.size - tied.num_kept - tied.num_rel + numbers.number)
            )
            else 0
        end as logarithm
    from tied
    join numbers
        on numbers.number between greatest(tied.num_kept - tied.size + tied.num_rel, 0)
            and least(tied.num_kept, tied.num_rel)
    where tied.num_kept < tied.size
),
likely as (
    -- Each number is likelier than the one before by a ratio of the hypergeometric distribution.
    select
        evaluation_id,
        num_rel,
        others_above,
        others_beside,
        sum(logarithm) over (
            partition by evaluation_id
            order by num_rel
            rows between unbounded preceding and current row
        ) as logarithm
    from choices
),
weighed as (
    select
        evaluation_id,
        num_rel,
        others_above,
        others_beside,
        exp(logarithm - max(logarithm) over (partition by evaluation_id)) as weight
    from likely
),
parts as (
    select
        evaluation_id,
        false as is_cut,
        num_rel,
        others_above,
        size - num_rel as others_beside,
        cast(1 as double) as weight
    from tied
    where num_kept = size
    union all
    select
        evaluation_id,
        true as is_cut,
        num_rel,
        others_above,
        others_beside,
        weight
    from weighed
),
wrong as (
    -- Of the other documents of its tie all, none or half stand above a relevant one.
    select
        evaluation_id,
        is_cut,
        num_rel,
        num_rel * (
            others_above
            + others_beside * case when $ties = 'worst' then 1 when $ties = 'best' then 0 else cast(0.5 as double) end
        ) as num_wrong,
        weight
    from parts
),
uncut as (
    select
        evaluation_id,
        sum(case when is_cut then 0 else num_rel end) as num_rel,
        sum(case when is_cut then 0 else num_wrong end) as num_wrong
    from wrong
    group by evaluation_id
),
found as (
    select
        evaluation_id,
        count(*) as num_rel,
        cast(sum(rank - nth) as double) as num_wrong,
        cast(1 as double) as weight
    from relevant_ranks(rel := $rel)
    where
        rank <= coalesce($k, rank)
        and $ties = 'rule'
    group by evaluation_id
    union all
    select
        uncut.evaluation_id as evaluation_id,
        uncut.num_rel + coalesce(wrong.num_rel, 0) as num_rel,
        uncut.num_wrong + coalesce(wrong.num_wrong, 0) as num_wrong,
        coalesce(wrong.weight, 1) as weight
    from uncut
    left join wrong
        on wrong.evaluation_id = uncut.evaluation_id
        and wrong.is_cut
),
pairs as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        found.num_rel,
        found.num_wrong,
        found.weight,
        cast(found.num_rel as double)
            * (least(coalesce($k, evaluated_topics.num_ret), evaluated_topics.num_ret) - found.num_rel) as num_pairs
    from evaluated_topics
    join found on found.evaluation_id = evaluated_topics.evaluation_id
),
outcomes as (
    select
        evaluation_id,
        weight,
        num_pairs,
        case
            when num_rel = 0 then 0
            else 1 - coalesce(num_wrong / nullif(num_pairs, 0), 0)
        end as value
    from pairs
),
ordered as (
    -- More relevant documents above the cutoff are not always better.
    select
        evaluation_id,
        weight,
        num_pairs,
        value,
        row_number() over (
            partition by evaluation_id
            order by case when $ties = 'best' then -value else value end, num_pairs
        ) as nth
    from outcomes
),
averages as (
    select
        evaluation_id,
        sum(weight * value) / sum(weight) as value,
        sum(weight * num_pairs) / sum(weight) as num_pairs
    from ordered
    where
        nth = 1
        or $ties = 'expected'
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(averages.value, 0) as value,
    coalesce(averages.num_pairs, 0) as num_pairs
from evaluated_topics
left join averages on averages.evaluation_id = evaluated_topics.evaluation_id

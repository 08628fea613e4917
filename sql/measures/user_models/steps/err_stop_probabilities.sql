-- title: How likely the reader of ERR stops at each place, expected over all orders of tied documents
-- parameters: max_rel, depth
--   depth integer in [1, inf) = null     last place that counts; null is none
-- columns:
--   evaluation_id   key of the evaluation
--   rank            place in the ranking
--   chance          probability that the reader comes there and stops
with recursive gained as (
    select
        evaluations.evaluation_id as evaluation_id,
        judged_ranks.first_rank as first_rank,
        judged_ranks.last_rank as last_rank,
        grade_gains.gain / max_gains.scale as chance,
        row_number() over (
            partition by evaluations.evaluation_id, judged_ranks.first_rank
            order by judged_ranks.rank
        ) as nth
    from evaluations
    join max_gains(dcg := 'exp-log2', max_rel := $max_rel) as max_gains
        on max_gains.qrels_id = evaluations.qrels_id
    join judged_ranks on judged_ranks.evaluation_id = evaluations.evaluation_id
    join grade_gains(dcg := 'exp-log2', max_rel := $max_rel) as grade_gains
        on grade_gains.grade = judged_ranks.grade
    where
        grade_gains.gain > 0
        and judged_ranks.first_rank <= coalesce($depth, judged_ranks.first_rank)
),
tied as (
    -- A chance is below 1 but where 2^max_rel has more digits than a number holds.
    select
        evaluation_id,
        first_rank,
        last_rank - first_rank + 1 as size,
        count(*) as num_gained,
        max(chance) as chance,
        sum(case when chance < 1 then ln(1 - chance) else -1000 end) as logarithm
    from gained
    group by evaluation_id, first_rank, last_rank
),
tops as (
    select
        evaluation_id,
        first_rank,
        size,
        num_gained,
        chance,
        exp(
            coalesce(
                sum(logarithm) over (
                    partition by evaluation_id
                    order by first_rank
                    rows between unbounded preceding and 1 preceding
                ),
                0
            )
        ) as patience
    from tied
),
numbers as (
    select 0 as number
    union all
    select rank as number
    from ranks_to_longest
),
reached as (
    -- The chance to come past any number of a tie's documents, in any order: first of those without a gain, then of one
    -- more with a gain in each step, which is among num_above of size documents with the chance num_above / size.
    select
        tops.evaluation_id as evaluation_id,
        tops.first_rank as first_rank,
        cast(0 as bigint) as nth,
        tops.size - tops.num_gained as size,
        numbers.number as num_above,
        cast(case when numbers.number <= tops.size - tops.num_gained then 1 else 0 end as double) as patience
    from tops
    join numbers
        on numbers.number <= least(tops.size, coalesce($depth - tops.first_rank + 1, tops.size))
    where tops.size > 1
    union all
    select
        reached.evaluation_id,
        reached.first_rank,
        gained.nth,
        reached.size + 1 as size,
        reached.num_above,
        (
            greatest(reached.size + 1 - reached.num_above, 0) * reached.patience
            + reached.num_above * (1 - gained.chance) * coalesce(
                lag(reached.patience) over (
                    partition by reached.evaluation_id, reached.first_rank
                    order by reached.num_above
                ),
                0
            )
        ) / (reached.size + 1) as patience
    from reached
    join gained
        on gained.evaluation_id = reached.evaluation_id
        and gained.first_rank = reached.first_rank
        and gained.nth = reached.nth + 1
),
passed as (
    select
        reached.evaluation_id as evaluation_id,
        reached.first_rank as first_rank,
        reached.num_above as num_above,
        tops.patience as patience_above,
        reached.patience as patience,
        lead(reached.patience) over (
            partition by reached.evaluation_id, reached.first_rank
            order by reached.num_above
        ) as next_patience
    from reached
    join tops
        on tops.evaluation_id = reached.evaluation_id
        and tops.first_rank = reached.first_rank
        and tops.num_gained = reached.nth
)
select
    evaluation_id,
    first_rank as rank,
    patience * chance as chance
from tops
where size = 1
union all
select
    evaluation_id,
    first_rank + num_above as rank,
    patience_above * (patience - next_patience) as chance
from passed
where next_patience is not null

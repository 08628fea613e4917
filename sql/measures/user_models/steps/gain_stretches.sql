-- title: Each ranking cut below its gained documents: stretches of places of which the last has a gain
-- parameters: dcg, min_rel, max_rel, depth, ties in {rule, worst, best}
--   dcg varchar in {log2, exp-log2} = log2   gain by grade before it is scaled: log2 takes the grade,
--                                            exp-log2 takes 2^grade - 1
--   depth integer in [1, inf) = null         last place that counts; null is none
-- columns:
--   evaluation_id   key of the evaluation
--   above           place above the stretch: that of a gained document, or 0
--   last_place      its last place; what the depth says, or null, for the one below all gained documents
--   gain            gain of the document at its last place, at most 1; 0 for the stretch below all of them
--   gain_above      sum of the gains above the stretch
--   patience        product of 1 - gain over the documents above the stretch
with gained as (
    select
        evaluations.evaluation_id as evaluation_id,
        gains_by_rank.rank,
        gains_by_rank.gain,
        max_gains.scale
    from evaluations
    join max_gains(dcg := $dcg, min_rel := $min_rel, max_rel := $max_rel) as max_gains
        on max_gains.qrels_id = evaluations.qrels_id
    join gains_by_rank(dcg := $dcg, min_rel := $min_rel, max_rel := $max_rel, ties := $ties) as gains_by_rank
        on gains_by_rank.evaluation_id = evaluations.evaluation_id
    where gains_by_rank.rank <= coalesce($depth, gains_by_rank.rank)
),
marks as (
    select
        evaluation_id,
        0 as rank,
        cast(0 as double) as gain,
        cast(1 as double) as scale
    from evaluations
    union all
    select
        evaluation_id,
        rank,
        gain,
        scale
    from gained
),
progress as (
    -- Whole numbers are added before they are divided, so that gains of a third add up to 1.
    select
        evaluation_id,
        rank,
        lead(rank) over below as next_rank,
        lead(gain / scale) over below as next_gain,
        sum(gain) over down / scale as total_gain,
        sum(case when gain < scale then ln(1 - gain / scale) else 0 end) over down as logarithm,
        max(case when gain < scale then 0 else 1 end) over down as satisfied
    from marks
    window
        below as (
            partition by evaluation_id
            order by rank
        ),
        down as (
            partition by evaluation_id
            order by rank
            rows between unbounded preceding and current row
        )
)
select
    evaluation_id,
    rank as above,
    coalesce(next_rank, $depth) as last_place,
    coalesce(next_gain, 0) as gain,
    total_gain as gain_above,
    case when satisfied = 1 then 0 else exp(logarithm) end as patience
from progress

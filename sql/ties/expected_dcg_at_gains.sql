-- title: DCG down to each rank of a tie that holds positive gains, expected over all orders of tied documents
-- definition: What is above the tie does not depend on its order. Beside a document with a positive gain the others of
--    the tie are spread evenly over its other ranks.
-- parameters: gains
-- columns: evaluation_id
--   rank          a rank of the tie
--   probability   that a document with a positive gain stands there
--   dcg           discounted cumulative gain down to it in the orders in which one does, times that probability
with tied as (
    select
        judged_ranks.evaluation_id,
        judged_ranks.first_rank,
        judged_ranks.last_rank,
        count(case when grade_gains.gain > 0 then 1 end) as num_gained,
        sum(greatest(grade_gains.gain, 0)) as positive_gain,
        sum(grade_gains.gain) as gain
    from asked_ranks() as judged_ranks
    join grade_gains(gains := $gains) as grade_gains on grade_gains.grade = judged_ranks.grade
    where grade_gains.gain <> 0
    group by judged_ranks.evaluation_id, judged_ranks.first_rank, judged_ranks.last_rank
),
discounted as (
    select
        tied.evaluation_id,
        tied.first_rank,
        tie_ranks.size,
        tied.num_gained,
        tied.positive_gain,
        tied.gain,
        tie_ranks.rank,
        1 / log2(tie_ranks.rank + 1) as discount
    from tied
    join tie_ranks() as tie_ranks
        on tie_ranks.first_rank = tied.first_rank
        and tie_ranks.last_rank = tied.last_rank
),
progress as (
    select
        *,
        sum(discount) over (
            partition by evaluation_id, first_rank
            order by rank
            rows between unbounded preceding and current row
        ) as discounts,
        sum(gain / size * discount) over (
            partition by evaluation_id
            order by rank
            rows between unbounded preceding and current row
        ) as dcg
    from discounted
)
select
    evaluation_id,
    rank,
    num_gained / size as probability,
    num_gained * (dcg - gain / size * discounts) / size
        + positive_gain / size * discount
        + coalesce((num_gained * gain - positive_gain) / nullif(size * (size - 1), 0), 0) * (discounts - discount)
        as dcg
from progress
where num_gained > 0

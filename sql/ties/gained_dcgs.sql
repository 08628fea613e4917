-- title: DCG down to each retrieved document with a positive gain, or what is expected of it at each place
-- parameters: gains, ties
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                     the worst or the best of DCG, or what is expected over all orders
-- columns:
--   evaluation_id   key of the evaluation
--   rank            place in the ranking
--   share           probability that a document with a positive gain stands there; 1 but for what is expected
--   dcg             discounted cumulative gain down to it, times that probability
with tied as (
    select
        judged_ranks.evaluation_id,
        judged_ranks.first_rank,
        judged_ranks.last_rank,
        judged_ranks.last_rank - judged_ranks.first_rank + 1 as size,
        count(case when grade_gains.gain > 0 then 1 end) as num_gained,
        sum(greatest(grade_gains.gain, 0)) as gained,
        sum(grade_gains.gain) as gain
    from judged_ranks
    join grade_gains(gains := $gains) as grade_gains on grade_gains.grade = judged_ranks.grade
    where
        grade_gains.gain <> 0
        and $ties = 'expected'
    group by judged_ranks.evaluation_id, judged_ranks.first_rank, judged_ranks.last_rank
),
discounted as (
    select
        tied.evaluation_id,
        tied.first_rank,
        tied.size,
        tied.num_gained,
        tied.gained,
        tied.gain,
        ranks_to_longest.rank as rank,
        ln(2) / ln(ranks_to_longest.rank + 1) as discount
    from tied
    join ranks_to_longest on ranks_to_longest.rank between tied.first_rank and tied.last_rank
),
progress as (
    select
        evaluation_id,
        rank,
        size,
        num_gained,
        gained,
        gain,
        discount,
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
    cast(1 as double) as share,
    dcg
from dcg_by_rank(gains := $gains, ties := $ties)
where
    gain > 0
    and $ties <> 'expected'
union all
-- What is above the tie is independent of the document here; the others of the tie are spread evenly over its other
-- places.
select
    evaluation_id,
    rank,
    cast(num_gained as double) / size as share,
    num_gained * (dcg - gain / size * discounts) / size
        + gained / size * discount
        + coalesce((num_gained * gain - gained) / nullif(size * (size - 1), 0), 0) * (discounts - discount) as dcg
from progress
where num_gained > 0

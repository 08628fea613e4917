-- title: nDCG_rel in the worst or the best order of tied documents, or expected over all orders
-- definition: In the worst order and the best one documents with gains go to the bottom or the top of their tie. That
--    is so, and what is expected is known, as long as no order has a DCG below 0.
-- parameters: gains, ties in {worst, best, expected} = best
-- columns: qrels, run, topic, value
with ideal as (
    select *
    from ideal_cumulated_gains(gains := $gains)
),
ideal_ends as (
    select
        qrels_id,
        topic_id,
        max(rank) as num_gained,
        max(dcg) as dcg
    from ideal
    group by qrels_id, topic_id
),
tied as (
    select
        judged_ranks.evaluation_id,
        judged_ranks.first_rank,
        judged_ranks.last_rank,
        count(case when grade_gains.gain > 0 then 1 end) as num_gained,
        sum(greatest(grade_gains.gain, 0)) as positive_gain,
        sum(grade_gains.gain) as gain
    from asked_ranks() as judged_ranks
    join grade_gains(gains := $gains) as grade_gains using (grade)
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
    join tie_ranks() as tie_ranks using (first_rank, last_rank)
),
expected_down as (
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
),
dcgs_at_gains as (
    select
        evaluation_id,
        rank,
        cast(1 as double) as probability,
        dcg
    from running_gains(gains := $gains, ties := $ties)
    where
        gain > 0
        and $ties <> 'expected'
    union all
    -- What is above the tie does not depend on its order. Beside a document with a positive gain the others of the tie
    -- are spread evenly over its other ranks.
    select
        evaluation_id,
        rank,
        num_gained / size as probability,
        num_gained * (dcg - gain / size * discounts) / size
            + positive_gain / size * discount
            + coalesce((num_gained * gain - positive_gain) / nullif(size * (size - 1), 0), 0) * (discounts - discount)
            as dcg
    from expected_down
    where
        num_gained > 0
        and $ties = 'expected'
),
found as (
    select
        dcgs_at_gains.evaluation_id,
        fsum(dcgs_at_gains.dcg / coalesce(ideal.dcg, ideal_ends.dcg)) as total,
        sum(dcgs_at_gains.probability) as num_found
    from asked_evaluations() as evaluations
    join ideal_ends using (qrels_id, topic_id)
    join dcgs_at_gains using (evaluation_id)
    left join ideal
        on ideal.qrels_id = evaluations.qrels_id
        and ideal.topic_id = evaluations.topic_id
        and ideal.rank = dcgs_at_gains.rank
    group by dcgs_at_gains.evaluation_id
),
dcgs as (
    select
        evaluation_id,
        fsum(gain / log2(rank + 1)) as total
    from gains_by_rank(gains := $gains, ties := $ties)
    group by evaluation_id
),
unknown as (
    select distinct least_dcgs.evaluation_id
    from running_gains(gains := $gains, ties := 'worst') as least_dcgs
    join asked_ranks() as judged_ranks using (evaluation_id)
    join grade_gains(gains := $gains) as grade_gains using (grade)
    where
        least_dcgs.dcg < 0
        and grade_gains.gain <> 0
        and judged_ranks.first_rank < judged_ranks.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case
        when unknown.evaluation_id is not null and ideal_ends.num_gained > 0 then null
        else coalesce(
            greatest(
                (
                    coalesce(found.total, 0)
                    + (ideal_ends.num_gained - coalesce(found.num_found, 0)) * dcgs.total / ideal_ends.dcg
                ) / ideal_ends.num_gained,
                0
            ),
            0
        )
    end as value
from evaluated_topics
left join ideal_ends using (qrels_id, topic_id)
left join found using (evaluation_id)
left join dcgs using (evaluation_id)
left join unknown using (evaluation_id)

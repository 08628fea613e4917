-- title: O_measure expected over all orders of tied documents
-- definition: In the first tie that holds gains, the probability that no document above a rank has one, times that of
--    one at the rank; its gain is the mean of the tie's gains.
-- parameters: beta, gains
--   beta double in [0, 1e9] = 1   weight of gains over counts
-- columns: qrels, run, topic, value
with tied as (
    -- The logarithm of the chance that the document at a rank has no gain where none above it has.
    select
        evaluation_id,
        rank,
        num_gained,
        total_gain / num_gained as mean_gain,
        last_rank - rank + 1 as num_left,
        case
            when last_rank - rank + 1 > num_gained
            then ln(1 - num_gained / (last_rank - rank + 1))
            else 0
        end as logarithm
    from expected_cumulated_gains(gains := $gains)
    where
        gained_above = 0
        and rank <= last_rank - num_gained + 1
),
first_gains as (
    select
        evaluation_id,
        rank,
        mean_gain,
        exp(coalesce(sum(logarithm) over above, 0)) * num_gained / num_left as probability
    from tied
    window above as (
        partition by evaluation_id
        order by rank
        rows between unbounded preceding and 1 preceding
    )
),
blends as (
    select
        first_gains.evaluation_id,
        fsum(
            first_gains.probability
                * (1 + $beta * first_gains.mean_gain)
                / (first_gains.rank + $beta * coalesce(ideal_cumulated_gains.cumulated_gain, ideal_totals.total_gain))
        ) as blend
    from asked_evaluations() as evaluations
    join ideal_totals(gains := $gains) as ideal_totals using (qrels_id, topic_id)
    join first_gains using (evaluation_id)
    left join ideal_cumulated_gains(gains := $gains) as ideal_cumulated_gains
        on ideal_cumulated_gains.qrels_id = evaluations.qrels_id
        and ideal_cumulated_gains.topic_id = evaluations.topic_id
        and ideal_cumulated_gains.rank = first_gains.rank
    group by first_gains.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(blends.blend, 0) as value
from evaluated_topics
left join blends using (evaluation_id)

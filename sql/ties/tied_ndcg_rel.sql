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
    select
        evaluation_id,
        rank,
        probability,
        dcg
    from expected_dcg_at_gains(gains := $gains)
    where $ties = 'expected'
),
found as (
    select
        dcgs_at_gains.evaluation_id,
        fsum(dcgs_at_gains.dcg / coalesce(ideal.dcg, ideal_ends.dcg)) as total,
        sum(dcgs_at_gains.probability) as num_found
    from asked_evaluations() as evaluations
    join ideal_ends
        on ideal_ends.qrels_id = evaluations.qrels_id
        and ideal_ends.topic_id = evaluations.topic_id
    join dcgs_at_gains on dcgs_at_gains.evaluation_id = evaluations.evaluation_id
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
    join asked_ranks() as judged_ranks on judged_ranks.evaluation_id = least_dcgs.evaluation_id
    join grade_gains(gains := $gains) as grade_gains on grade_gains.grade = judged_ranks.grade
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
left join ideal_ends
    on ideal_ends.qrels_id = evaluated_topics.qrels_id
    and ideal_ends.topic_id = evaluated_topics.topic_id
left join found on found.evaluation_id = evaluated_topics.evaluation_id
left join dcgs on dcgs.evaluation_id = evaluated_topics.evaluation_id
left join unknown on unknown.evaluation_id = evaluated_topics.evaluation_id

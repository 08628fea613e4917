-- title: How far the difference of two runs depends on holes, by a measure to which each document adds its own part
-- inputs: hole_effects, hole_weights
-- parameters:
--   k integer in [1, inf) = 10   rank cutoff of the measure
-- columns: qrels, measure
--   run                   run with the higher mean
--   other_run             run with the lower mean
--   least_difference      least difference of their means, a hole of both having one grade
--   greatest_difference   greatest difference
--   fewest                judgments that settle the order if each finds a document not relevant, of those that move the
--                         difference most
--   most                  holes that move the difference at all
-- definition: A hole moves the difference by its weight in the first run less its weight in the second. The weight is
--    that of its rank, and 0 in a run that lacks it. The least difference has exactly those holes relevant by which the
--    lower run gains more; the greatest has the others relevant. This is exact because nothing is divided by the number
--    of relevant documents. AP, R and nDCG divide by it, so that holes depend on each other: there are intervals alone.
with holes as (
    select
        evaluated_topics.qrels,
        evaluated_topics.run,
        retrieved.topic_id as topic_id,
        retrieved.document_id as document_id,
        hole_weights.greatest - hole_weights.least as weight
    from evaluated_topics
    join asked_retrieved() as retrieved using (run_id, topic_id)
    left join asked_ranks() as judged
        on judged.evaluation_id = evaluated_topics.evaluation_id
        and judged.rank = retrieved.rank
        and judged.rank <= $k
        and judged.grade >= 0
    join hole_weights
        on hole_weights.qrels = evaluated_topics.qrels
        and hole_weights.rank = retrieved.rank
    where
        retrieved.rank <= $k
        and judged.grade is null
),
topics_of_sets as (
    select
        qrels,
        count(distinct topic) as num_topics
    from evaluated_topics
    group by qrels
),
pairs as (
    -- The order of all other pairs is sure by their intervals.
    select
        upper_run.qrels,
        upper_run.measure,
        upper_run.run,
        lower_run.run as other_run,
        -- The difference if no hole is relevant.
        upper_run.least - lower_run.least as difference
    from hole_effects as upper_run
    join hole_effects as lower_run
        on lower_run.qrels = upper_run.qrels
        and lower_run.measure = upper_run.measure
        and lower_run.value < upper_run.value - 1e-12
        and lower_run.greatest >= upper_run.least
),
sides as (
    select
        pairs.qrels,
        pairs.run,
        pairs.other_run,
        holes.topic_id,
        holes.document_id,
        holes.weight
    from pairs
    join holes using (qrels, run)
    union all
    select
        pairs.qrels,
        pairs.run,
        pairs.other_run,
        holes.topic_id,
        holes.document_id,
        -holes.weight as weight
    from pairs
    join holes
        on holes.qrels = pairs.qrels
        and holes.run = pairs.other_run
),
hole_changes as (
    select
        sides.qrels,
        sides.run,
        sides.other_run,
        sum(sides.weight) / max(topics_of_sets.num_topics) as change
    from sides
    join topics_of_sets using (qrels)
    group by sides.qrels, sides.run, sides.other_run, sides.topic_id, sides.document_id
),
ordered as (
    -- What this document and those that could lose less may take from the difference together.
    select
        qrels,
        run,
        other_run,
        change,
        sum(least(change, 0)) over (
            partition by qrels, run, other_run
            order by change desc
            rows between unbounded preceding and current row
        ) as lost_with_this
    from hole_changes
    where abs(change) > 1e-15
)
select
    pairs.qrels,
    pairs.measure,
    pairs.run,
    pairs.other_run,
    pairs.difference + coalesce(sum(least(ordered.change, 0)), 0) as least_difference,
    pairs.difference + coalesce(sum(greatest(ordered.change, 0)), 0) as greatest_difference,
    -- The order stays open while this document and those that could lose less are open.
    count(case when ordered.change < 0 and pairs.difference + ordered.lost_with_this <= 1e-12 then 1 end) as fewest,
    count(ordered.change) as most
from pairs
left join ordered using (qrels, run, other_run)
group by pairs.qrels, pairs.measure, pairs.run, pairs.other_run, pairs.difference

-- measure: P_plus
-- title: P-plus: average of a blend of precision and normalised cumulated gain down to the best document retrieved
-- aliases: P+
-- parameters: beta, gains
--   beta double in [0, 1e9] = 1     weight of gains over counts
-- columns:
--   preferred_rank   rank of the first document with the greatest gain retrieved; 0 if none is
-- definition: Mean over the documents with a gain, down to the first one with the greatest gain retrieved, of (c +
--    beta * S) / (rank + beta * I): c of them stand here or above, S is the sum of their gains, and I the ideal
--    ranking's down to the same place. 0 if none is retrieved.
-- reference: Sakai 2007, On the properties of evaluation metrics for finding one highly relevant document,
--    doi:10.2197/ipsjdc.3.643
-- differs: Equal to NTCIREVAL; none of trec_eval, ranx and ir_measures has it. Negative gains are left out. Without
--    ties: more documents above the best one can raise the mean or lower it, and no value over all orders is known.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it divides by the ideal ranking at each document, and no order of holes is known that is always best
-- scores: no
-- example: user-models P_plus = 0.6905
with gained as (
    select
        evaluation_id,
        rank,
        gain,
        row_number() over down as gained_rank,
        sum(gain) over down as cumulated_gain,
        max(gain) over (partition by evaluation_id) as greatest_gain
    from gains_by_rank(gains := $gains)
    where gain > 0
    window down as (
        partition by evaluation_id
        order by rank
        rows between unbounded preceding and current row
    )
),
preferred as (
    select
        evaluation_id,
        min(rank) as preferred_rank
    from gained
    where gain = greatest_gain
    group by evaluation_id
),
averages as (
    select
        preferred.evaluation_id,
        preferred.preferred_rank,
        avg(
            (gained.gained_rank + $beta * gained.cumulated_gain)
                / (gained.rank + $beta * coalesce(ideal_cumulated_gains.cumulated_gain, ideal_totals.total_gain))
        ) as average
    from asked_evaluations() as evaluations
    join ideal_totals(gains := $gains) as ideal_totals using (qrels_id, topic_id)
    join preferred using (evaluation_id)
    join gained
        on gained.evaluation_id = preferred.evaluation_id
        and gained.rank <= preferred.preferred_rank
    left join ideal_cumulated_gains(gains := $gains) as ideal_cumulated_gains
        on ideal_cumulated_gains.qrels_id = evaluations.qrels_id
        and ideal_cumulated_gains.topic_id = evaluations.topic_id
        and ideal_cumulated_gains.rank = gained.rank
    group by preferred.evaluation_id, preferred.preferred_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(averages.average, 0) as value,
    coalesce(averages.preferred_rank, 0) as preferred_rank
from evaluated_topics
left join averages using (evaluation_id)

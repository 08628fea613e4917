-- measure: O_measure
-- title: O-measure: blend of precision and normalised cumulated gain at the first document with a gain
-- aliases: O-measure
-- parameters: beta, gains, ties
--   beta double in [0, 1e9] = 1     weight of gains over counts; 0 gives RR
-- definition: (1 + beta * gain) / (rank + beta * I) of the first document with a gain, I being the sum of the
--    ideal ranking's gains down to the same place; 0 if none is retrieved.
-- reference: Sakai 2007, On the properties of evaluation metrics for finding one highly relevant document,
--    doi:10.2197/ipsjdc.3.643
-- differs: None of trec_eval, ranx and ir_measures has it. Negative gains are left out.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: user-models O_measure = 0.6667
with blended as (
    select
        evaluation_id,
        rank,
        nth,
        ideal_gain,
        ratio
    from q_measure_ratios(beta := $beta, gains := $gains, ties := $ties)
),
tied as (
    -- The chance that the document at a place has no gain where none above it has; it is 0 at the last place.
    select
        evaluation_id,
        rank,
        num_gained,
        total_gain,
        last_rank - rank + 1 as num_left,
        case
            when last_rank - rank + 1 > num_gained
            then ln(1 - cast(num_gained as double) / (last_rank - rank + 1))
            else 0
        end as logarithm
    from gain_tie_ranks(gains := $gains)
    where
        $ties = 'expected'
        and gained_above = 0
        and rank <= last_rank - num_gained + 1
),
first_places_found as (
    select
        evaluation_id,
        rank,
        exp(coalesce(sum(logarithm) over above, 0)) * num_gained / num_left as share,
        total_gain / num_gained as gain
    from tied
    window above as (
        partition by evaluation_id
        order by rank
        rows between unbounded preceding and 1 preceding
    )
),
first_found as (
    select
        evaluation_id,
        ratio
    from blended
    where
        nth = 1
        and $ties <> 'expected'
    union all
    select
        first_places_found.evaluation_id,
        sum(
            first_places_found.share
                * (1 + $beta * first_places_found.gain)
                / (blended.rank + $beta * blended.ideal_gain)
        ) as ratio
    from first_places_found
    join blended
        on blended.evaluation_id = first_places_found.evaluation_id
        and blended.rank = first_places_found.rank
    group by first_places_found.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(first_found.ratio, 0) as value
from evaluated_topics
left join first_found on first_found.evaluation_id = evaluated_topics.evaluation_id

-- title: Each document retrieved with a gain, with the blend of precision and normalised cumulated gain there, or
--    each place where one may stand with what is expected over all orders of tied documents
-- parameters: beta, gains, ties
--   beta double in [0, inf) = 1     weight of gains over counts
-- columns:
--   evaluation_id   key of the evaluation
--   rank            place in the ranking
--   share           probability that a document with a gain stands there; 1 but for what is expected, for which
--                   gain, nth, total_gain and ratio count as 0 in the orders in which none does
--   gain            gain of the document there
--   nth             how many documents with a gain stand here or above
--   total_gain      sum of their gains
--   ideal_gain      the ideal ranking's down to the same place
--   ratio           (nth + beta * total_gain) / (rank + beta * ideal_gain)
with gained as (
    select
        evaluation_id,
        rank,
        gain,
        row_number() over down as nth,
        sum(gain) over down as total_gain
    from gains_by_rank(gains := $gains, ties := $ties)
    where
        gain > 0
        and $ties <> 'expected'
    window down as (
        partition by evaluation_id
        order by rank
        rows between unbounded preceding and current row
    )
),
expected as (
    -- Beside a document with a gain the others of its tie are spread evenly over the remaining places.
    select
        evaluation_id,
        rank,
        cast(last_rank - first_rank + 1 as double) as size,
        coalesce(cast(rank - first_rank as double) / nullif(last_rank - first_rank, 0), 0) as part_above,
        num_gained,
        total_gain,
        gained_above,
        gain_above
    from gain_tie_ranks(gains := $gains)
    where $ties = 'expected'
),
found as (
    select
        evaluation_id,
        rank,
        cast(1 as double) as share,
        gain,
        cast(nth as double) as nth,
        total_gain
    from gained
    union all
    select
        evaluation_id,
        rank,
        num_gained / size as share,
        total_gain / size as gain,
        num_gained * (gained_above + 1 + part_above * (num_gained - 1)) / size as nth,
        (num_gained * gain_above + total_gain * (1 + part_above * (num_gained - 1))) / size as total_gain
    from expected
),
ideal as (
    select
        qrels_id,
        topic_id,
        rank,
        sum(gain) over (
            partition by qrels_id, topic_id
            order by rank
            rows between unbounded preceding and current row
        ) as ideal_gain
    from ideal_gains(gains := $gains)
),
lengths as (
    select
        qrels_id,
        topic_id,
        max(rank) as num_gained
    from ideal
    group by qrels_id, topic_id
),
compared as (
    select
        evaluations.qrels_id as qrels_id,
        evaluations.topic_id as topic_id,
        found.evaluation_id as evaluation_id,
        found.rank as rank,
        least(found.rank, lengths.num_gained) as ideal_rank,
        found.share as share,
        found.gain as gain,
        found.nth as nth,
        found.total_gain as total_gain
    from evaluations
    join lengths
        on lengths.qrels_id = evaluations.qrels_id
        and lengths.topic_id = evaluations.topic_id
    join found on found.evaluation_id = evaluations.evaluation_id
)
select
    compared.evaluation_id,
    compared.rank,
    compared.share,
    compared.gain,
    compared.nth,
    compared.total_gain,
    ideal.ideal_gain,
    (compared.nth + $beta * compared.total_gain) / (compared.rank + $beta * ideal.ideal_gain) as ratio
from compared
join ideal
    on ideal.qrels_id = compared.qrels_id
    and ideal.topic_id = compared.topic_id
    and ideal.rank = compared.ideal_rank

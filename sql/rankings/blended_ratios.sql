-- title: Each document retrieved with a gain, with the blend of precision and normalised cumulated gain there
-- parameters:
--   beta double in [0, inf) = 1     weight of gains over counts
--   gains varchar = null            explicit gains, as '1=0.5,2=1'; a grade not listed is worth 0, or
--                                   itself where the list ends in ,*; without them the grade
-- columns:
--   evaluation_id   key of the evaluation
--   rank            place in the ranking
--   gain            gain of the document there
--   nth             how many documents with a gain stand here or above
--   total_gain      sum of their gains
--   ideal_gain      the ideal ranking's down to the same place
--   ratio           (nth + beta * total_gain) / (rank + beta * ideal_gain)
with found as (
    select
        evaluation_id,
        rank,
        gain,
        row_number() over down as nth,
        sum(gain) over down as total_gain
    from gained_ranks(gains := $gains)
    where gain > 0
    window down as (
        partition by evaluation_id
        order by rank
        rows between unbounded preceding and current row
    )
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
)
select
    found.evaluation_id,
    found.rank,
    found.gain,
    found.nth,
    found.total_gain,
    ideal.ideal_gain,
    (found.nth + $beta * found.total_gain) / (found.rank + $beta * ideal.ideal_gain) as ratio
from evaluations
join lengths
    on lengths.qrels_id = evaluations.qrels_id
    and lengths.topic_id = evaluations.topic_id
join found on found.evaluation_id = evaluations.evaluation_id
join ideal
    on ideal.qrels_id = evaluations.qrels_id
    and ideal.topic_id = evaluations.topic_id
    and ideal.rank = least(found.rank, lengths.num_gained)

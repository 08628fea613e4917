-- title: The topics of each measure of a gate on which the candidate lost most
-- inputs: gate_rules, compared_pairs
-- parameters:
--   most integer in [1, inf) = 5   topics of each measure
-- columns: measure, topic
--   baseline_value   value of the baseline
--   value            value of the candidate
--   difference       value less that of the baseline
--   line             what is said of these topics together
-- definition: Topics in the order of their loss, a loss being a rise where less is better; those up to 5e-13 are
--     rounding and none.
with compared_measures as (
    select distinct
        gate_rules.measure,
        gate_rules.less_is_better
    from gate_rules
    where gate_rules.kind in ('drop', 'test')
),
lost as (
    select
        compared_pairs.measure,
        compared_pairs.topic,
        compared_pairs.baseline_value,
        compared_pairs.value,
        case when compared_measures.less_is_better then -1 else 1 end
        * (compared_pairs.baseline_value - compared_pairs.value) as loss
    from compared_pairs
    join compared_measures using (measure)
),
placed as (
    select
        lost.*,
        row_number() over (partition by lost.measure order by lost.loss desc, lost.topic) as place
    from lost
    where round(lost.loss, 12) > 0
)
select
    placed.measure,
    placed.topic,
    placed.baseline_value,
    placed.value,
    placed.value - placed.baseline_value as difference,
    concat(
        'largest drops: ',
        string_agg(
            format('topic {} {:.4f} to {:.4f}', placed.topic, placed.baseline_value, placed.value), ', '
        ) over whole
    ) as line
from placed
where placed.place <= $most
window whole as (
    partition by placed.measure
    order by placed.place
    rows between unbounded preceding and unbounded following
)
order by placed.measure, placed.place

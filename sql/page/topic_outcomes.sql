-- title: A run beside a baseline, topic by topic
-- parameters:
--   qrels varchar = null                judgment set
--   measure varchar = null              measure
--   run varchar = null                  run
--   baseline varchar = null             run compared with
--   less_is_better boolean = false      whether the lesser value is better
-- columns: topic
--   value            value of the run
--   baseline_value   value of the baseline
--   difference       value less that of the baseline; 0 where that is rounding
--   outcome          won, tied or lost
--   place            1 for the topic that the run does worst on
--   gap_place        1 for the topic that they differ most on; of equal ones the topic that comes first
-- definition: Differences up to 5e-13 are rounding.
with compared as (
    select
        own.topic,
        own.value,
        base.value as baseline_value,
        case when round(own.value - base.value, 12) = 0 then 0 else own.value - base.value end as difference
    from scores as own
    join scores as base using (qrels, measure, topic)
    where
        own.qrels = $qrels
        and own.measure = $measure
        and own.run = $run
        and base.run = $baseline
        and own.value - base.value is not null
)
select
    topic,
    value,
    baseline_value,
    difference,
    case
        when difference = 0 then 'tied'
        when difference > 0 then case when $less_is_better then 'lost' else 'won' end
        else case when $less_is_better then 'won' else 'lost' end
    end as outcome,
    rank() over (order by case when $less_is_better then -difference else difference end) as place,
    row_number() over (order by abs(difference) desc, topic) as gap_place
from compared

-- title: Values of a run less those of a baseline, topic by topic
-- parameters:
--   baseline varchar = null   run that all others are compared with; null: every run with every run whose name comes after
-- columns:
--   qrels            judgment set
--   measure          canonical name of the measure
--   baseline         run compared with
--   run              run compared
--   topic            topic that both have a value for
--   baseline_value   value of the baseline
--   value            value of the run
--   difference       the second less the first
-- definition: Values of the view scores, put side by side by the topic's name within judgment set and measure.
select
    base.qrels,
    base.measure,
    base.run as baseline,
    other.run,
    base.topic,
    base.value as baseline_value,
    other.value,
    other.value - base.value as difference
from scores as base
join scores as other
    on other.qrels = base.qrels
    and other.measure = base.measure
    and other.topic = base.topic
where
    other.run <> base.run
    and base.run = coalesce($baseline, base.run)
    and ($baseline is not null or base.run < other.run)

-- title: Values of a baseline and of a run for the topics that both have a value for, in long form
-- inputs: compared_pairs
-- columns: qrels
--   run       the baseline or the run
--   topic     topic
--   measure   canonical name of the measure
--   ties      always rule: the order of tied documents that the tie rule gives
--   value     value of the measure
select
    qrels,
    run,
    topic,
    measure,
    'rule' as ties,
    value
from compared_pairs
union all
select
    qrels,
    baseline as run,
    topic,
    measure,
    'rule' as ties,
    baseline_value as value
from compared_pairs

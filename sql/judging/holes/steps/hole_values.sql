-- title: The values of one measure by the judgments as they are, the least and the greatest, of the runs that are asked for
-- inputs: bounds, counts, chosen, values_given
-- columns: qrels, run, topic
--   ties         rule for the value by the judgments as they are, least or greatest
--   value        the value
--   num_holes    unjudged documents that the run has down to the cutoff
--   num_unseen   other unjudged documents that count in the bounds
with labelled as (
    select qrels, run, topic, 'rule' as ties, value from values_given
    union all
    select qrels, run, topic, 'least' as ties, least as value from bounds
    union all
    select qrels, run, topic, 'greatest' as ties, greatest as value from bounds
)
select
    labelled.qrels,
    labelled.run,
    labelled.topic,
    labelled.ties,
    labelled.value,
    counts.num_holes,
    counts.num_unseen
from labelled
join counts
    on counts.qrels = labelled.qrels
    and counts.run = labelled.run
    and counts.topic = labelled.topic
join chosen on chosen.evaluation_id = counts.evaluation_id

-- title: The values of one measure by the judgments as they are, the least and the greatest, of the runs that are asked for
-- inputs: bounds, counts, chosen, values_given
-- columns: qrels, run, topic, num_holes, num_unseen
--   ties    rule for the value by the judgments as they are, least or greatest
--   value   the value
select
    chosen.qrels,
    chosen.run,
    chosen.topic,
    unnest(['rule', 'least', 'greatest']) as ties,
    unnest([values_given.value, bounds.least, bounds.greatest]) as value,
    counts.num_holes,
    counts.num_unseen
from chosen
join values_given using (qrels, run, topic)
join bounds using (qrels, run, topic)
join counts using (qrels, run, topic)

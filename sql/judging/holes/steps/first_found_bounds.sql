-- title: The bounds of a measure that is only of the relevant document found first
-- inputs: values_given, first_hole_values
-- columns: qrels, run, topic
--   least      the value with no hole relevant
--   greatest   that with the highest hole relevant, where it is greater
select
    values_given.qrels,
    values_given.run,
    values_given.topic,
    values_given.value as least,
    greatest(values_given.value, first_hole_values.value) as greatest
from values_given
join first_hole_values using (qrels, run, topic)

-- title: The bounds of a measure that its values have where all holes are worth the least, or the greatest
-- inputs: filled_values
-- columns: qrels, run, topic
--   least      the lesser of the two values
--   greatest   the greater one
select
    qrels,
    run,
    topic,
    min(value) as least,
    max(value) as greatest
from filled_values
group by qrels, run, topic

-- title: The least and the greatest number of documents retrieved that are judged not relevant, whatever grades holes have
-- parameters: rel, most
-- columns: qrels, run, topic, least, greatest
-- definition: Least where all holes are relevant, greatest where none is.
select
    qrels,
    run,
    topic,
    cast(num_ret - num_rel_ret - new_rel as double) as least,
    cast(num_ret - num_rel_ret as double) as greatest
from hole_counts(rel := $rel, most := $most, unseen := 0)

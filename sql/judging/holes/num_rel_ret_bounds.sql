-- title: The least and the greatest number of relevant documents retrieved, whatever grades the holes have
-- parameters: rel, most
-- columns: qrels, run, topic, least, greatest
-- definition: Least where no hole is relevant, greatest where all are.
select
    qrels,
    run,
    topic,
    cast(num_rel_ret as double) as least,
    cast(num_rel_ret + new_rel as double) as greatest
from hole_counts(rel := $rel, most := $most, unseen := 0)

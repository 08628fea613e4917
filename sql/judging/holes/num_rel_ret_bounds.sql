-- title: The least and the greatest number of relevant documents retrieved, whatever grades the holes have
-- parameters: rel, most
-- columns: qrels, run, topic, least, greatest, num_holes, num_unseen
-- definition: Least where no hole is relevant, greatest where all are.
select
    qrels,
    run,
    topic,
    cast(num_rel_ret as double) as least,
    cast(num_rel_ret + new_rel as double) as greatest,
    num_holes,
    num_unseen
from hole_counts(rel := $rel, most := $most, unseen := 0)

-- title: The least and the greatest number of documents retrieved that are judged not relevant, whatever grades holes have
-- parameters: rel, most
-- columns: qrels, run, topic, least, greatest, num_holes, num_unseen
-- definition: Least where all holes are relevant, greatest where none is.
select
    qrels,
    run,
    topic,
    cast(num_ret - num_rel_ret - new_rel as double) as least,
    cast(num_ret - num_rel_ret as double) as greatest,
    num_holes,
    num_unseen
from hole_counts(rel := $rel, most := $most, unseen := 0)

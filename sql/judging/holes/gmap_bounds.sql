-- title: The least and the greatest GMAP of each topic, whatever grades the unjudged documents have
-- parameters: k, rel, most, unseen
-- columns: qrels, run, topic, least, greatest, num_holes, num_unseen
-- definition: Those of average precision, raised to 0.00001 where they are less.
select
    qrels,
    run,
    topic,
    greatest(least, 0.00001) as least,
    greatest(greatest, 0.00001) as greatest,
    num_holes,
    num_unseen
from ap_bounds(k := $k, rel := $rel, most := $most, unseen := $unseen)

-- title: The least and the greatest average precision, whatever grades the unjudged documents have
-- parameters: k, rel, most, unseen
-- columns: qrels, run, topic, least, greatest, num_holes, num_unseen
-- definition: See precision_shares. All that is unseen is relevant at the least, and nothing of it at the greatest.
select
    qrels,
    run,
    topic,
    coalesce(least, 0) as least,
    coalesce(greatest, 0) as greatest,
    num_holes,
    num_unseen
from precision_shares(k := $k, rel := $rel, most := $most, unseen := $unseen)

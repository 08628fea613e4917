-- title: The least and the greatest YAAP, whatever grades the unjudged documents have
-- parameters: rel, most, unseen
-- columns: qrels, run, topic, least, greatest, num_holes, num_unseen
-- definition: With S, the sum of precisions, and R relevant documents YAAP is the logarithm of the odds of (1 + S) / (2
--    + R); see precision_shares. All that is unseen is relevant at the least, and nothing of it at the greatest.
select
    qrels,
    run,
    topic,
    ln(least / (1 - least)) as least,
    ln(greatest / (1 - greatest)) as greatest,
    num_holes,
    num_unseen
from precision_shares(rel := $rel, most := $most, unseen := $unseen, prior := 1)

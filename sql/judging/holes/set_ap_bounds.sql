-- title: The least and the greatest SetAP, whatever grades the unjudged documents have
-- parameters: rel, most, unseen
-- columns: qrels, run, topic, least, greatest, num_holes, num_unseen
-- definition: Precision times recall is r^2 / (n R). It is least where all that is unseen is relevant and no hole is,
--    greatest where all holes are and nothing unseen is.
select
    qrels,
    run,
    topic,
    coalesce(
        cast(num_rel_ret as double) * num_rel_ret / nullif(cast(num_ret as double) * (num_rel + new_unseen), 0),
        0
    ) as least,
    coalesce(
        cast(num_rel_ret + new_rel as double) * (num_rel_ret + new_rel)
            / nullif(cast(num_ret as double) * (num_rel + new_rel), 0),
        0
    ) as greatest,
    num_holes,
    num_unseen
from hole_counts(rel := $rel, most := $most, unseen := $unseen)

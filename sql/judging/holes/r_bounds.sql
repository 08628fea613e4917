-- title: The least and the greatest recall at a cutoff, whatever grades the unjudged documents have
-- parameters: k, rel, most, unseen
-- columns: qrels, run, topic, least, greatest, num_holes, num_unseen
-- definition: Least where of the unjudged documents the unseen are relevant and no hole is, greatest where all holes are
--    and nothing unseen is.
select
    qrels,
    run,
    topic,
    coalesce(cast(num_rel_ret as double) / nullif(num_rel + new_unseen, 0), 0) as least,
    coalesce(cast(num_rel_ret + new_rel as double) / nullif(num_rel + new_rel, 0), 0) as greatest,
    num_holes,
    num_unseen
from hole_counts(k := $k, rel := $rel, most := $most, unseen := $unseen)

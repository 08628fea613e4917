-- title: The least and the greatest F, whatever grades the unjudged documents have
-- parameters: beta, k, rel, recall_weight, most, unseen
--   beta double in [0, 1e9] = 1            weight of recall over precision; 2 holds it for twice as important
--   recall_weight double in [0, 1e18] = null   trec_eval's x, taken in the place of beta^2
-- columns: qrels, run, topic, least, greatest, num_holes, num_unseen
-- definition: F is (w + 1) r / (w R + n), with r of the R relevant documents among n. It is least where all that is unseen
--    is relevant and no hole is, greatest where all holes are and nothing unseen is.
with counted as (
    select
        qrels,
        run,
        topic,
        coalesce($recall_weight, $beta * $beta) as weight,
        coalesce($k, num_ret) as depth,
        num_rel,
        num_rel_ret,
        new_rel,
        new_unseen,
        num_holes,
        num_unseen
    from hole_counts(k := $k, rel := $rel, most := $most, unseen := $unseen)
)
select
    qrels,
    run,
    topic,
    coalesce((weight + 1) * num_rel_ret / nullif(weight * (num_rel + new_unseen) + depth, 0), 0) as least,
    coalesce((weight + 1) * (num_rel_ret + new_rel) / nullif(weight * (num_rel + new_rel) + depth, 0), 0) as greatest,
    num_holes,
    num_unseen
from counted

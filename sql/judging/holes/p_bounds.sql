-- title: The least and the greatest precision at a cutoff, whatever grades the holes have
-- parameters: k = 10, rel, relative, most, unseen
--   relative boolean = false   divide by R, the number of relevant documents, where that is less than k
-- columns: qrels, run, topic, least, greatest, num_holes, num_unseen
-- definition: Least where no hole is relevant, greatest where all are. If relative, each relevant hole adds to R as
--    well, and so do the unseen documents, of which all are relevant at the least value and none at the greatest.
with divisors as (
    select
        qrels,
        run,
        topic,
        num_rel_ret,
        new_rel,
        coalesce($k, num_ret) as depth,
        num_rel + new_unseen as most_missed,
        num_rel + new_rel as most_found,
        num_holes,
        num_unseen
    from hole_counts(k := $k, rel := $rel, most := $most, unseen := $unseen)
)
select
    qrels,
    run,
    topic,
    coalesce(
        cast(num_rel_ret as double)
            / nullif(case when $relative then least(depth, most_missed) else depth end, 0),
        0
    ) as least,
    coalesce(
        cast(num_rel_ret + new_rel as double)
            / nullif(case when $relative then least(depth, most_found) else depth end, 0),
        0
    ) as greatest,
    num_holes,
    num_unseen
from divisors

-- title: Topics where recall at a greater cutoff is less
-- parameters: rel
-- columns: finding
--   num_rows   cutoffs at which it falls
-- definition: R@1, R@10, R@100, R@1000 and R of the whole ranking do not fall.
with with_less as (
    select
        qrels,
        run,
        topic,
        k,
        value,
        lag(value) over (partition by qrels, run, topic order by k nulls last) as value_before
    from r(k := [1, 10, 100, 1000, null], rel := $rel)
)
select
    concat(
        'run ', run, ', topic ', topic, ', judgments ', qrels, ': R', '@' || min(k), ' is less than at a lesser cutoff'
    ) as finding,
    count(*) as num_rows
from with_less
where value < value_before
group by qrels, run, topic

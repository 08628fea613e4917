-- title: Topics where recall at a greater cutoff is less
-- parameters: rel
-- columns: finding
--   num_rows   cutoffs at which it falls
-- definition: R@1, R@10, R@100, R@1000 and R of the whole ranking do not fall.
with recalls as (
    select 1 as step, 'R@1' as measure, qrels, run, topic, value
    from r(k := 1, rel := $rel)
    union all
    select 2 as step, 'R@10' as measure, qrels, run, topic, value
    from r(k := 10, rel := $rel)
    union all
    select 3 as step, 'R@100' as measure, qrels, run, topic, value
    from r(k := 100, rel := $rel)
    union all
    select 4 as step, 'R@1000' as measure, qrels, run, topic, value
    from r(k := 1000, rel := $rel)
    union all
    select 5 as step, 'R' as measure, qrels, run, topic, value
    from r(rel := $rel)
),
with_less as (
    select
        *,
        lag(value) over (partition by qrels, run, topic order by step) as value_before
    from recalls
)
select
    concat(
        'run ', run, ', topic ', topic, ', judgments ', qrels, ': ', min(measure), ' is less than at a lesser cutoff'
    ) as finding,
    count(*) as num_rows
from with_less
where value < value_before
group by qrels, run, topic

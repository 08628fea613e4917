-- title: Runs whose worst or best mean is not known, and the pairs of runs that are undecided for it
-- inputs: tie_effects
-- columns: measure
--   num_pairs   pairs of which one run at least is such a run
--   runs        these runs
with sides as (
    select
        qrels,
        measure,
        count(*) as num_runs,
        count(case when worst is not null and best is not null then 1 end) as num_known
    from tie_effects
    group by qrels, measure
),
unknown as (
    select
        tie_effects.measure,
        list(distinct tie_effects.run order by tie_effects.run) as runs
    from tie_effects
    join sides using (qrels, measure)
    where
        sides.num_runs > 1
        and (tie_effects.worst is null or tie_effects.best is null)
    group by tie_effects.measure
),
pairs as (
    select
        measure,
        cast(sum(num_runs * (num_runs - 1) - num_known * (num_known - 1)) as bigint) // 2 as num_pairs
    from sides
    group by measure
)
select
    unknown.measure,
    pairs.num_pairs,
    unknown.runs
from unknown
join pairs using (measure)
order by unknown.measure

-- title: The same figure by two judgment sets, side by side
-- parameters: names, reference
-- columns: measure, run
--   qrels         the reference, or the judgment set whose name comes first
--   other         the other one
--   value         mean by the first
--   other_value   mean by the other
--   difference    other_value less value
--   place         place of the run by the first, 1 having the greatest mean
--   other_place   place by the other
-- definition: Means of the view summary of runs that both evaluate. A place is 1 and the number of those runs with a
--     greater mean.
with means_listed as (
    select
        summary.measure,
        summary.run,
        listed.qrels,
        summary.value
    from summary
    join named_qrels(names := $names || coalesce(',' || $reference, '')) as listed on listed.qrels = summary.qrels
),
sides as (
    select
        means_listed.measure,
        means_listed.run,
        means_listed.qrels,
        others.qrels as other,
        means_listed.value,
        others.value as other_value
    from means_listed
    join means_listed as others
        on others.measure = means_listed.measure
        and others.run = means_listed.run
        and others.qrels <> means_listed.qrels
    join named_qrels(names := $reference) as judged on judged.qrels = means_listed.qrels
    where
        means_listed.qrels = $reference
        or ($reference is null and others.qrels > means_listed.qrels)
)
select
    measure,
    run,
    qrels,
    other,
    value,
    other_value,
    other_value - value as difference,
    rank() over (partition by measure, qrels, other order by value desc) as place,
    rank() over (partition by measure, qrels, other order by other_value desc) as other_place
from sides

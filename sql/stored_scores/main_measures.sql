-- title: Which measure the main score of a collection's results is
-- inputs: staged_results
-- columns:
--   collection   name of the collection
--   measure      the measure whose value is the main score in all files that have both; of several the most frequent
with equal_values as (
    select
        collection,
        unnest(mains) as measure
    from staged_results
),
counted as (
    select
        collection,
        measure,
        count(*) as num_files
    from equal_values
    group by collection, measure
),
fitting as (
    select *
    from counted
    where not exists (
        select 1
        from staged_results
        where
            staged_results.collection = counted.collection
            and staged_results.main is not null
            and list_contains(staged_results.measures, counted.measure)
            and not list_contains(staged_results.mains, counted.measure)
    )
)
select
    collection,
    arg_min(measure, (-num_files, measure)) as measure
from fitting
group by collection

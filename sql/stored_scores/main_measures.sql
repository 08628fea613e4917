-- title: Which measure the main score of a collection's results is
-- inputs: staged_results
-- columns:
--   collection   name of the collection
--   name         name of the measure in the files: its value is the main score in all results, of a task with
--                subsets in all of these, that have both; of several the most frequent
with equal_values as (
    select
        collection,
        unnest(mains) as name
    from staged_results
),
counted as (
    select
        collection,
        name,
        count(*) as num_results
    from equal_values
    group by collection, name
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
            and list_contains(staged_results.names, counted.name)
            and not list_contains(staged_results.mains, counted.name)
    )
)
select
    collection,
    arg_min(name, (-num_results, name)) as name
from fitting
group by collection

-- title: Values of staged results under their measures, each main score under the measure that it is
-- inputs: staged_results, named_measures, main_measures
-- columns:
--   file           number of the file
--   result         number of the result in its file
--   line           its line; 0 where the file has no lines of values
--   run            name of the run
--   topic          topic; null for a value over the whole collection
--   name           name in the file
--   measure        canonical name of the measure, or its own where evalsql does not have it
--   value          the value; of a task with several subsets the mean over these
--   num_subsets    subsets of the task that have a value; 1 where there are none
-- definition: The score of a task is the mean over its subsets, each of which weighs the same, as MTEB averages them.
-- reference: Muennighoff and others 2023, MTEB: Massive text embedding benchmark, arXiv:2210.07316
with given as (
    select
        file,
        result,
        line,
        kind,
        run,
        topic,
        unnest(names) as name,
        unnest(scores) as value
    from staged_results
    union all
    select
        staged_results.file,
        staged_results.result,
        staged_results.line,
        staged_results.kind,
        staged_results.run,
        staged_results.topic,
        coalesce(main_measures.name, 'main_score') as name,
        staged_results.main as value
    from staged_results
    left join main_measures using (collection)
    where
        staged_results.main is not null
        and not list_contains(staged_results.names, coalesce(main_measures.name, 'main_score'))
),
named as (
    select
        given.file,
        given.result,
        given.line,
        given.run,
        given.topic,
        given.name,
        coalesce(named_measures.measure, given.name) as measure,
        given.value / coalesce(named_measures.divisor, 1) as value
    from given
    left join named_measures using (kind, name)
    where
        named_measures.measure is not null
        or given.name = 'main_score'
),
divided_tasks as (
    select
        file,
        result
    from staged_results
    group by file, result
    having count(*) > 1
)
select
    named.*,
    1 as num_subsets
from named
where (file, result) not in (select (file, result) from divided_tasks)
union all
select
    named.file,
    named.result,
    named.line,
    named.run,
    named.topic,
    named.name,
    named.measure,
    -- The order makes the sum the same to the last digit each time.
    avg(named.value order by named.value) as value,
    count(*) as num_subsets
from named
join divided_tasks using (file, result)
group by named.file, named.result, named.line, named.run, named.topic, named.name, named.measure

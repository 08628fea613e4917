-- title: Values of staged results, one a row, with each main score under the measure that it is
-- inputs: staged_results, main_measures
-- columns:
--   file      number of the file
--   line      its line; 0 where the file has no lines of values
--   run       name of the run
--   topic     topic; null for a value over the whole collection
--   measure   canonical name of the measure, or its own where evalsql does not have it
--   value     the value
select
    file,
    line,
    run,
    topic,
    unnest(measures) as measure,
    unnest(scores) as value
from staged_results
union all
select
    staged_results.file,
    staged_results.line,
    staged_results.run,
    staged_results.topic,
    coalesce(main_measures.measure, 'main_score') as measure,
    staged_results.main as value
from staged_results
left join main_measures on main_measures.collection = staged_results.collection
where
    staged_results.main is not null
    and not list_contains(staged_results.measures, coalesce(main_measures.measure, 'main_score'))

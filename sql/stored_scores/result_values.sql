-- title: Values of staged results that are to be kept, one a row, with each main score under the measure that it is
-- inputs: staged_results, named_measures, main_measures, judged_results
-- columns:
--   file      number of the file
--   line      its line; 0 where the file has no lines of values
--   run       name of the run
--   topic     topic; null for a value over the whole collection
--   measure   canonical name of the measure, or its own where evalsql does not have it
--   value     the value
with kept as (
    select staged_results.*
    from staged_results
    left join judged_results on judged_results.run = staged_results.run
    where
        judged_results.run is null
        or (staged_results.topic is not null) = (judged_results.qrels is not null)
),
given as (
    select
        file,
        line,
        kind,
        run,
        topic,
        unnest(names) as name,
        unnest(scores) as value
    from kept
    union all
    select
        kept.file,
        kept.line,
        kept.kind,
        kept.run,
        kept.topic,
        coalesce(main_measures.name, 'main_score') as name,
        kept.main as value
    from kept
    left join main_measures on main_measures.collection = kept.collection
    where
        kept.main is not null
        and not list_contains(kept.names, coalesce(main_measures.name, 'main_score'))
)
select
    given.file,
    given.line,
    given.run,
    given.topic,
    coalesce(named_measures.measure, given.name) as measure,
    given.value / coalesce(named_measures.divisor, 1) as value
from given
left join named_measures
    on named_measures.kind = given.kind
    and named_measures.name = given.name
where
    named_measures.measure is not null
    or given.name = 'main_score'

-- title: Values of staged results that are to be kept, one a row
-- inputs: named_results, named_measures, judged_results
-- columns:
--   file      number of the file
--   line      its line; 0 where the file has no lines of values
--   run       name of the run
--   topic     topic; null for a value over the whole collection
--   measure   canonical name of the measure, or its own where evalsql does not have it
--   value     the value
-- definition: Values of topics where judgments here have the topics, else those over all topics. What a file gives
--     under several names of a measure is one value where it is the same: trec_eval -m all_trec prints R-precision as
--     Rprec and as Rprec_mult_1.00.
with kept as (
    select named_results.*
    from named_results
    left join judged_results using (run)
    where
        judged_results.run is null
        or (named_results.topic is not null) = (judged_results.qrels is not null)
),
measures_of_several_names as (
    select measure
    from named_measures
    where measure is not null
    group by kind, measure
    having count(*) > 1
)
select
    file,
    line,
    run,
    topic,
    measure,
    value
from kept
where measure not in (select several.measure from measures_of_several_names as several)
union all
select
    file,
    line,
    run,
    topic,
    measure,
    value
from kept
where measure in (select several.measure from measures_of_several_names as several)
qualify name = min(name) over (partition by file, run, topic, measure, value)

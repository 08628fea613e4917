-- title: Values of topics of staged results as scores that are to be stored
-- inputs: result_values, judged_results, staged_files
-- columns:
--   qrels             name of the judgment set
--   run               name of the run
--   topic             topic
--   measure           canonical name of the measure
--   evalsql_version   empty, since another program computed it
--   sql_digest        empty
--   value             its value
--   file              file
select
    judged_results.qrels,
    result_values.run,
    result_values.topic,
    result_values.measure,
    '' as evalsql_version,
    '' as sql_digest,
    result_values.value,
    staged_files.label as file
from result_values
join judged_results using (run)
join staged_files on staged_files.file = result_values.file
where result_values.topic is not null

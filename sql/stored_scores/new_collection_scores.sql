-- title: Rows of the table collection_scores for staged results
-- inputs: result_values
-- columns: run_id
--   measure   canonical name of the measure, or its own
--   value     its value
select
    runs.run_id,
    result_values.measure,
    result_values.value
from result_values
join runs using (run)
where result_values.topic is null
order by runs.run_id, result_values.measure

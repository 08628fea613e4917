-- title: The values given for a parameter, which takes one or a list; a measure that reads this has rows for each
-- parameters:
--   given integer = null   a value, or a list of values
-- columns:
--   value   one of the values
with listed as (
    select distinct unnest($given) as value
),
single as (
    select $given as value
)
select value
from query_table(case when typeof($given) like '%[]' then 'listed' else 'single' end)

-- title: Keys of evaluations as ranges without gaps
-- inputs: chosen
-- columns:
--   first_key   first key of the range
--   last_key    its last key
with numbered as (
    -- Keys in a range without gaps all differ from their numbers by the same.
    select
        evaluation_id,
        evaluation_id - row_number() over (order by evaluation_id) as gap
    from chosen
)
select
    min(evaluation_id) as first_key,
    max(evaluation_id) as last_key
from numbered
group by gap

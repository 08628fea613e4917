-- title: Keys of evaluations as ranges without a gap
-- inputs: chosen
-- columns:
--   first_key   first key of the range
--   last_key    its last key
with placed as (
    -- Keys that follow each other are as far from their places in the order of the keys.
    select
        evaluation_id,
        evaluation_id - row_number() over (order by evaluation_id) as gap
    from chosen
)
select
    min(evaluation_id) as first_key,
    max(evaluation_id) as last_key
from placed
group by gap

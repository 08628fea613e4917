-- title: Keys as ranges without gaps
-- inputs: chosen
-- columns:
--   first_key   first key of the range
--   last_key    its last key
with numbered as (
    -- Keys in a range without gaps all differ from their numbers by the same.
    select
        key,
        key - row_number() over (order by key) as gap
    from chosen
)
select
    min(key) as first_key,
    max(key) as last_key
from numbered
group by gap

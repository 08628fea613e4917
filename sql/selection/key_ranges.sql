-- title: A condition that some keys fulfil: ranges without gaps, or all from the first to the last where these are many
-- inputs: chosen
-- parameters:
--   key varchar = null                 column of the key
--   most integer in [1, inf) = 100     ranges at most: beyond that the condition takes longer than what it spares
-- columns:
--   key         column of the key
--   condition   the condition as SQL
with numbered as (
    -- In a range without gaps, all keys differ from their numbers by the same.
    select
        key,
        key - row_number() over (order by key) as gap
    from chosen
),
ranges as (
    select
        min(key) as first_key,
        max(key) as last_key
    from numbered
    group by gap
)
select
    $key as key,
    case
        when count(*) = 0 then 'false'
        when count(*) > $most then $key || ' between ' || min(first_key) || ' and ' || max(last_key)
        else string_agg($key || ' between ' || first_key || ' and ' || last_key, ' or ' order by first_key)
    end as condition
from ranges

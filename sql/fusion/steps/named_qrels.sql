-- title: Judgment sets by a list of their names, in its order; all of them by name where there is none
-- parameters:
--   names varchar = null   names of judgment sets, separated by commas without blanks; null is all of them
-- columns:
--   place      place in the list, from 1
--   qrels_id   key of the judgment set
--   qrels      judgment set
-- definition: An error where no judgment set has a name of the list.
with unknown as (
    -- A row whose every column raises the error; no filter leaves it out.
    select cast(error('names has ' || min(asked.qrels) || ', and no judgment set is called so') as integer) as told
    from (select unnest(string_split($names, ',')) as qrels) as asked
    left join qrels as loaded on contains(',' || loaded.qrels || ',', ',' || asked.qrels || ',')  -- names may have commas
    where loaded.qrels is null and $names <> ''
    having count(*) > 0
)
select
    row_number() over (
        order by
            case when $names is null then 0 else position(',' || held.qrels || ',' in ',' || $names || ',') end,
            held.qrels
    ) as place,
    held.qrels_id,
    held.qrels
from qrels as held
where
    $names is null
    or position(',' || held.qrels || ',' in ',' || $names || ',') > 0
union all
select
    told as place,
    told as qrels_id,
    cast(told as varchar) as qrels
from unknown

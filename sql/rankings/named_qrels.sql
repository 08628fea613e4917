-- title: Judgment sets by a list of their names, in its order; all of them by name where there is none
-- parameters:
--   names varchar = null   names of judgment sets, separated by commas without blanks; null is all of them
-- columns:
--   place      place in the list, from 1
--   qrels_id   key of the judgment set
--   qrels      judgment set
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

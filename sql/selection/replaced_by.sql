-- title: What is to be said of the judgments that a judgment set replaced
-- parameters:
--   qrels varchar = null      the judgment set that replaced them
--   num_weights integer = 0   weights that they had
-- columns:
--   place    1 for the first line
--   remark   a line on weights that went, on the name under which they stay, or on SQL that reads both
with replaced as (
    select
        earlier.qrels,
        row_number() over (order by earlier.qrels) as nth
    from qrels as earlier
    join qrels as newer on newer.loaded_at = earlier.replaced_at
    where
        newer.qrels = $qrels
        and earlier.qrels = newer.qrels || regexp_extract(earlier.qrels, '@[0-9]+$')
),
kept as (
    select count(*) as num_kept
    from topic_weights
    join qrels using (qrels_id)
    where qrels.qrels = $qrels
)
select
    0 as place,
    concat(count_of($num_weights, 'weight'), ' went with the judgments replaced') as remark
from kept
where $num_weights > 0 and num_kept = 0
union all
select
    nth as place,
    concat('the judgments before stay as ', qrels, '; --qrels ', qrels, ' evaluates with them') as remark
from replaced
union all
select
    max(nth) + 1 as place,
    concat(
        'relations in SQL have rows of both; where qrels = ''', replace($qrels, '''', ''''''),
        ''' takes the new ones alone'
    ) as remark
from replaced
having count(*) > 0

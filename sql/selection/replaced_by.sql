-- title: The names under which the judgments stay that a judgment set replaced
-- parameters:
--   qrels varchar = null   the judgment set that replaced them
-- columns: qrels
select replaced.qrels
from qrels as replaced
join qrels as newer on newer.loaded_at = replaced.replaced_at
where
    newer.qrels = $qrels
    and replaced.qrels = newer.qrels || regexp_extract(replaced.qrels, '@[0-9]+$')

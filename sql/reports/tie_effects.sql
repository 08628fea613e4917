-- title: How far each run's mean depends on the order of tied documents
-- inputs: tied_means
-- parameters:
--   only_measure varchar = null   canonical name of the one measure that is asked for; null is all, which are planned
--                                 even where a condition leaves one
-- columns: qrels, run, measure
--   value      mean under the tie rule
--   worst      mean under the worst order of tied documents; null where not known for every topic
--   expected   mean expected over all orders of tied documents; null where not known for every topic
--   best       mean under the best order of tied documents; null where not known for every topic
select
    qrels,
    run,
    measure,
    max(value) filter (where ties = 'rule') as value,
    max(value) filter (where ties = 'worst') as worst,
    max(value) filter (where ties = 'expected') as expected,
    max(value) filter (where ties = 'best') as best
from tied_means
where measure = coalesce($only_measure, measure)
group by qrels, run, measure
having count(*) filter (where ties <> 'rule') > 0

-- title: The measures that runs lack among their stored scores
-- inputs: stored, asked
-- columns: measure
--   runs   runs without values of it
with pairs as (
    select distinct
        qrels,
        run
    from stored
)
select
    asked.measure,
    list(pairs.run order by pairs.run) as runs
from asked
cross join pairs
left join stored
    on stored.qrels = pairs.qrels
    and stored.run = pairs.run
    and stored.measure = asked.measure
where stored.measure is null
group by asked.place, asked.measure
order by asked.place

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
left join stored using (qrels, run, measure)
where stored.measure is null
group by asked.place, asked.measure
order by asked.place

-- title: The judgment sets that evaluate every one of these runs
-- parameters:
--   runs varchar = null   names of the runs, separated by commas without blanks
-- columns: qrels
select qrels.qrels
from named_runs(runs := $runs) as asked
join evaluations using (run_id)
join qrels using (qrels_id)
group by qrels.qrels
having count(distinct asked.run_id) = (select count(*) from named_runs(runs := $runs))

-- title: Runs of staged scores that have other figures here: over whole collections, or of topics where those come now
-- inputs: staged
-- columns: run_id
--   run   name of the run
select
    runs.run_id,
    runs.run
from runs
join staged on staged.run = runs.run
group by runs.run_id, runs.run
having
    runs.run_id in (select collection_scores.run_id from collection_scores)
    or (count(staged.topic) < count(*) and runs.run_id in (select stored_scores.run_id from stored_scores))

-- title: Runs that say what they are of, and the judgment sets to evaluate them with
-- inputs: said_runs
-- columns:
--   run         name of the run
--   meta        what it says
--   qrels_ids   keys of the sets that judge its collection; where no run has any, the only set there is; else empty
with sets as (
    select
        qrels_id,
        coalesce(meta['collection'], qrels) as collection
    from qrels
    where replaced_at is null
),
judged as (
    select
        said_runs.run,
        list(sets.qrels_id order by sets.qrels_id) as qrels_ids
    from said_runs
    join sets on sets.collection = said_runs.meta['collection']
    group by said_runs.run
),
only_set as (
    select list(qrels_id) as qrels_ids
    from sets
    where (select count(*) from judged) = 0
    having count(*) = 1
)
select
    said_runs.run,
    said_runs.meta,
    coalesce(judged.qrels_ids, only_set.qrels_ids, []) as qrels_ids
from said_runs
left join judged using (run)
left join only_set on true

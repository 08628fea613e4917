-- title: Judgment sets of which scores were computed from another file than the one stored here
-- inputs: staged_runs
-- columns:
--   qrels   name of the judgment set
select distinct qrels.qrels
from staged_runs
join qrels using (qrels)
join files
    on files.kind = 'qrels'
    and files.id = qrels.qrels_id
where staged_runs.qrels_sha256 <> files.sha256

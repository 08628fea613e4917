-- title: Pairs of judgments and a run whose spans count different units, so that none matches
-- inputs: new_pairs
-- columns: qrels
--   qrels_unit   unit of its spans
--   run          run
--   run_unit     unit of its spans
select
    qrels.qrels,
    qrels.meta['unit'] as qrels_unit,
    runs.run,
    runs.meta['unit'] as run_unit
from new_pairs
join qrels using (qrels_id)
join runs on runs.run_id = new_pairs.run_id
where
    qrels.form = 'spans'
    and runs.meta['collapse'] is not null
    and qrels.meta['unit'] <> runs.meta['unit']
order by qrels.qrels, runs.run

-- title: What is to be said of new runs whose results are spans
-- inputs: loaded
-- columns:
--   remark   a line
select
    concat(
        (select count(*) from retrieved_spans where run_id in (select run_id from loaded)), ' spans in ',
        min(meta['unit']), case when min(meta['unit']) in ('lines', 'pages') then ', the last one' else ', the end not' end,
        ' included, collapsed to documents by ', min(meta['collapse'])
    ) as remark
from runs
where run_id in (select run_id from loaded)

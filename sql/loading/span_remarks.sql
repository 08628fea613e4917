-- title: What is to be said of the spans of a new judgment set
-- inputs: new_qrels
-- columns:
--   remark   a line
with spans as (
    select *
    from judged_spans
    where qrels_id in (select qrels_id from new_qrels)
),
overlapping as (
    select distinct
        one.topic_id,
        one.span
    from spans as one
    join spans as other
        on other.topic_id = one.topic_id
        and other.document_id = one.document_id
        and other.span <> one.span
        and other.span_start < one.span_end
        and other.span_end > one.span_start
)
select
    concat(
        count(*), ' spans of ', count(distinct row(spans.topic_id, spans.document_id)), ' judged documents, in ',
        min(qrels.meta['unit']), case when min(qrels.meta['unit']) in ('lines', 'pages') then ', the last one' else ', the end not' end,
        ' included'
    ) as remark
from spans
join qrels using (qrels_id)
union all
select concat(
    'spans that overlap another one of their document: ', count(*), '; each counts as a span, and what they share counts once'
) as remark
from overlapping
having count(*) > 0

-- title: Every judged span, by name
-- columns: qrels, topic
--   document     document
--   span         number of the span among those of its topic
--   span_start   where it begins, as in the file
--   span_end     where it ends, as in the file: the last line or page, else the first place behind it
--   grade        degree of relevance; 0 is judged not relevant, below 0 is not judged either way
--   unit         what they count: characters, bytes, tokens, lines or pages
select
    qrels.qrels,
    topics.topic,
    documents.document,
    judged_spans.span,
    judged_spans.span_start,
    judged_spans.span_end - case when qrels.meta['unit'] in ('lines', 'pages') then 1 else 0 end as span_end,
    judged_spans.grade,
    qrels.meta['unit'] as unit
from judged_spans
join qrels using (qrels_id)
join topics on topics.topic_id = judged_spans.topic_id
join documents on documents.document_id = judged_spans.document_id

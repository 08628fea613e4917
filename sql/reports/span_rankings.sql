-- title: Every span that a run retrieved, by name
-- columns: run, topic
--   rank         place among the spans from 1, under the run's tie rule
--   document     document, which may have several
--   span_start   where it begins, as in the file
--   span_end     where it ends, as in the file: the last line or page, else the first place behind it
--   score        score as it stood in the file
--   unit         what they count: characters, bytes, tokens, lines or pages
select
    runs.run,
    topics.topic,
    retrieved_spans.rank,
    documents.document,
    retrieved_spans.span_start,
    retrieved_spans.span_end - case when runs.meta['unit'] in ('lines', 'pages') then 1 else 0 end as span_end,
    retrieved_spans.score,
    runs.meta['unit'] as unit
from retrieved_spans
join runs using (run_id)
join topics on topics.topic_id = retrieved_spans.topic_id
join documents on documents.document_id = retrieved_spans.document_id

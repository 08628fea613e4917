-- title: Relevant judged spans and retrieved spans that overlap, of every judgment set and run
-- parameters: rel
-- columns: qrels_id, run_id, topic_id
--   span               number of the judged span
--   rank               rank of the retrieved span
--   overlap            what they share: characters, tokens, lines or pages
--   judged_length      length of the judged span
--   retrieved_length   length of the retrieved one
select
    judged_spans.qrels_id,
    retrieved_spans.run_id,
    judged_spans.topic_id,
    judged_spans.span,
    retrieved_spans.rank,
    cast(
        least(judged_spans.span_end, retrieved_spans.span_end)
            - greatest(judged_spans.span_start, retrieved_spans.span_start) as double
    ) as overlap,
    cast(judged_spans.span_end - judged_spans.span_start as double) as judged_length,
    cast(retrieved_spans.span_end - retrieved_spans.span_start as double) as retrieved_length
from judged_spans
join retrieved_spans using (topic_id, document_id)
join asked_runs() as runs on runs.run_id = retrieved_spans.run_id
where
    judged_spans.grade >= $rel
    and retrieved_spans.span_start < judged_spans.span_end
    and retrieved_spans.span_end > judged_spans.span_start

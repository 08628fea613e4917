-- title: Relevant judged spans and retrieved spans that overlap
-- parameters: rel
-- columns:
--   evaluation_id      key of the evaluation
--   span               number of the judged span
--   rank               rank of the retrieved span
--   overlap            what they share: characters, tokens, lines or pages
--   judged_length      length of the judged span
--   retrieved_length   length of the retrieved one
select
    evaluated_topics.evaluation_id,
    judged_spans.span,
    retrieved_spans.rank,
    cast(
        least(judged_spans.span_end, retrieved_spans.span_end)
            - greatest(judged_spans.span_start, retrieved_spans.span_start) as double
    ) as overlap,
    cast(judged_spans.span_end - judged_spans.span_start as double) as judged_length,
    cast(retrieved_spans.span_end - retrieved_spans.span_start as double) as retrieved_length
from evaluated_topics
join judged_spans
    on judged_spans.qrels_id = evaluated_topics.qrels_id
    and judged_spans.topic_id = evaluated_topics.topic_id
join retrieved_spans
    on retrieved_spans.run_id = evaluated_topics.run_id
    and retrieved_spans.topic_id = evaluated_topics.topic_id
    and retrieved_spans.document_id = judged_spans.document_id
where
    judged_spans.grade >= $rel
    and retrieved_spans.span_start < judged_spans.span_end
    and retrieved_spans.span_end > judged_spans.span_start

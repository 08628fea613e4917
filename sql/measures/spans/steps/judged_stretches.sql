-- title: What relevant judged spans cover, in stretches of which no two overlap or touch
-- parameters: rel
-- columns: qrels_id, topic_id, document_id
--   stretch_start   where it begins
--   stretch_end     the first place behind it
with reaching as (
    select
        qrels_id,
        topic_id,
        document_id,
        span,
        span_start,
        span_end,
        -- How far those before it reach; a span that begins beyond begins a stretch.
        max(span_end) over (
            partition by qrels_id, topic_id, document_id
            order by span_start, span
            rows between unbounded preceding and 1 preceding
        ) as reached
    from judged_spans
    where grade >= $rel
),
numbered as (
    select
        *,
        sum(case when reached >= span_start then 0 else 1 end) over (
            partition by qrels_id, topic_id, document_id
            order by span_start, span
            rows between unbounded preceding and current row
        ) as stretch
    from reaching
)
select
    qrels_id,
    topic_id,
    document_id,
    min(span_start) as stretch_start,
    max(span_end) as stretch_end
from numbered
group by qrels_id, topic_id, document_id, stretch

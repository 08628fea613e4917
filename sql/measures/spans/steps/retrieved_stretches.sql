-- title: What the spans retrieved down to a cutoff cover, in stretches of which no two overlap or touch
-- parameters: k
-- columns: run_id, topic_id
--   last_rank       cutoff, or the greatest number there is for the whole ranking
--   document_id     key of the document
--   stretch_start   where it begins
--   stretch_end     the first place behind it
with reaching as (
    select
        retrieved_spans.run_id,
        retrieved_spans.topic_id,
        cutoffs.last_rank,
        retrieved_spans.document_id,
        retrieved_spans.rank,
        retrieved_spans.span_start,
        retrieved_spans.span_end,
        -- How far those before it reach; a span that begins beyond begins a stretch.
        max(retrieved_spans.span_end) over (
            partition by
                retrieved_spans.run_id, retrieved_spans.topic_id, cutoffs.last_rank, retrieved_spans.document_id
            order by retrieved_spans.span_start, retrieved_spans.rank
            rows between unbounded preceding and 1 preceding
        ) as reached
    from retrieved_spans
    join asked_runs() as runs using (run_id)
    join cutoffs(k := $k) as cutoffs on retrieved_spans.rank <= cutoffs.last_rank
),
numbered as (
    select
        *,
        sum(case when reached >= span_start then 0 else 1 end) over (
            partition by run_id, topic_id, last_rank, document_id
            order by span_start, rank
            rows between unbounded preceding and current row
        ) as stretch
    from reaching
)
select
    run_id,
    topic_id,
    last_rank,
    document_id,
    min(span_start) as stretch_start,
    max(span_end) as stretch_end
from numbered
group by run_id, topic_id, last_rank, document_id, stretch

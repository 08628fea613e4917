-- measure: SpanR
-- title: Span recall: share of the relevant spans that are found
-- parameters: k, match, share, rel
-- definition: Relevant judged spans that one of the first k retrieved spans matches, each counted once, divided by the
--    number of relevant spans; 0 if there are none. Only spans of one document match.
-- reference: Everingham et al. 2010, The PASCAL Visual Object Classes Challenge, section 4.2, whose boxes match where
--    intersection over union is above one half
-- differs: Counts retrieved spans in k, where measures of documents count documents.
-- range: 0 1
-- mean: arithmetic
-- holes: none, a hole may hold any spans
-- scores: no
-- example: spans SpanR@2 = 0.6667
with found as (
    select
        found_spans.qrels_id,
        found_spans.run_id,
        found_spans.topic_id,
        cutoffs.last_rank,
        count(*) as num_found
    from found_spans(match := $match, share := $share, rel := $rel) as found_spans
    join cutoffs(k := $k) as cutoffs on found_spans.rank <= cutoffs.last_rank
    group by found_spans.qrels_id, found_spans.run_id, found_spans.topic_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(cast(found.num_found as double) / span_counts.num_spans, 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join span_counts(rel := $rel) as span_counts using (qrels_id, topic_id)
left join found using (qrels_id, run_id, topic_id, last_rank)

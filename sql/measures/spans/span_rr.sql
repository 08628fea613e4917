-- measure: SpanRR
-- title: Reciprocal rank of the first retrieved span that matches a relevant one
-- parameters: k, match, share, rel
-- definition: 1 / r, r being the rank of the first retrieved span that matches a relevant judged span; 0 if none of the
--    first k does.
-- reference: Voorhees 1999, The TREC-8 Question Answering Track Report, where answers are strings of characters
-- differs: Counts retrieved spans in ranks, where RR counts documents.
-- range: 0 1
-- mean: arithmetic
-- holes: none, a hole may hold any spans
-- scores: no
-- example: spans SpanRR(match='exact') = 0.25
with first_found as (
    select
        qrels_id,
        run_id,
        topic_id,
        min(rank) as rank
    from found_spans(match := $match, share := $share, rel := $rel)
    group by qrels_id, run_id, topic_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(1 / cast(first_found.rank as double), 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join first_found
    on first_found.qrels_id = evaluated_topics.qrels_id
    and first_found.run_id = evaluated_topics.run_id
    and first_found.topic_id = evaluated_topics.topic_id
    and first_found.rank <= cutoffs.last_rank

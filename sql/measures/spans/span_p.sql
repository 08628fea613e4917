-- measure: SpanP
-- title: Span precision: share of the first retrieved spans that find a relevant one
-- parameters: k = 10, match, share, rel
-- definition: Retrieved spans among the first k that match a relevant judged span which none above matches, divided by k,
--    or without k by the number retrieved; 0 if that is 0. So each judged span counts once, and what overlaps a result
--    above does not count again. A ranking shorter than k is still divided by k.
-- reference: Everingham et al. 2010, The PASCAL Visual Object Classes Challenge, section 4.2, where a second detection of
--    one object is a false one
-- differs: Programs that count every overlapping result as relevant give more where chunks overlap or are shorter than
--    the judged spans; UnitP has no such choice.
-- range: 0 1
-- mean: arithmetic
-- holes: none, a hole may hold any spans
-- scores: no
-- example: spans SpanP@4 = 0.5
with found as (
    select
        found_spans.qrels_id,
        found_spans.run_id,
        found_spans.topic_id,
        cutoffs.last_rank,
        count(distinct found_spans.rank) as num_found
    from found_spans(match := $match, share := $share, rel := $rel) as found_spans
    join cutoffs(k := $k) as cutoffs on found_spans.rank <= cutoffs.last_rank
    group by found_spans.qrels_id, found_spans.run_id, found_spans.topic_id, cutoffs.last_rank
),
returned as (
    select
        run_id,
        topic_id,
        count(*) as num_ret
    from retrieved_spans
    group by run_id, topic_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(cast(found.num_found as double) / coalesce(cutoffs.k, returned.num_ret), 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join returned using (run_id, topic_id)
left join found using (qrels_id, run_id, topic_id, last_rank)

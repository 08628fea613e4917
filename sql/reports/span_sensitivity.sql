-- title: Span recall and precision under every rule, by the least share that a match must have
-- parameters: k = 10, rel
-- columns: qrels, run
--   match       rule: any, judged, retrieved, iou or exact; any and exact know no share
--   share       least share of the overlap
--   recall      mean of SpanR@k over the topics
--   precision   mean of SpanP@k over the topics
-- definition: Recall cannot rise with the share. Precision can: where a result no longer matches, one below may be the
--    first that does.
with rules as (
    select
        match,
        share / 10.0 as share
    from (values ('judged'), ('retrieved'), ('iou')) as rules(match)
    cross join range(1, 11) as shares(share)
    union all
    select
        match,
        cast(null as double) as share
    from (values ('any'), ('exact')) as rules(match)
),
first_matches as (
    select
        span_rules.qrels_id,
        span_rules.run_id,
        span_rules.topic_id,
        rules.match,
        rules.share,
        span_rules.span,
        min(span_rules.rank) as rank
    from span_rules(rel := $rel) as span_rules
    join rules
        on rules.match = span_rules.rule
        and span_rules.held_share >= coalesce(rules.share, 0)
    group by
        span_rules.qrels_id, span_rules.run_id, span_rules.topic_id, rules.match, rules.share, span_rules.span
),
found as (
    select
        qrels_id,
        run_id,
        topic_id,
        match,
        share,
        count(*) as num_spans,
        count(distinct rank) as num_results
    from first_matches
    where rank <= $k
    group by qrels_id, run_id, topic_id, match, share
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    rules.match,
    rules.share,
    avg(coalesce(cast(found.num_spans as double) / span_counts.num_spans, 0)) as recall,
    avg(coalesce(cast(found.num_results as double) / $k, 0)) as precision
from evaluated_topics
cross join rules
left join span_counts(rel := $rel) as span_counts using (qrels_id, topic_id)
left join found
    on found.qrels_id = evaluated_topics.qrels_id
    and found.run_id = evaluated_topics.run_id
    and found.topic_id = evaluated_topics.topic_id
    and found.match = rules.match
    and found.share is not distinct from rules.share
group by evaluated_topics.qrels, evaluated_topics.run, rules.match, rules.share

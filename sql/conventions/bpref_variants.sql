-- title: Binary preference as other programs have it, by convention or by mistake
-- parameters: rel, ties
-- columns: qrels, run, topic, k, variant, value
-- definition: The formula of each variant stands beside what it is called.
-- reference: fixtures/conformance, where each variant has exact values for small cases
with counts as (
    select
        evaluated_topics.evaluation_id,
        topic_counts.num_rel,
        topic_counts.num_nonrel,
        least(topic_counts.num_rel, topic_counts.num_nonrel) as num_pairs
    from evaluated_topics
    join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
),
by_judged as (
    select
        counts.evaluation_id,
        sum(outranked.share) as num_rel_ret,
        -- Where nothing is judged not relevant there is nothing above to lose by.
        sum(
            outranked.share
            * (1 - coalesce(least(outranked.others_above, counts.num_rel) / nullif(counts.num_pairs, 0), 0))
        ) as total,
        sum(outranked.share * (1 - least(outranked.others_above, counts.num_rel) / counts.num_rel)) as total_by_rel,
        sum(
            outranked.share
            * (1 - coalesce(least(outranked.others_above, counts.num_nonrel) / nullif(counts.num_nonrel, 0), 0))
        ) as total_by_nonrel
    from counts
    join others_above(rel := $rel, nonrelevant := 'judged', ties := $ties) as outranked using (evaluation_id)
    group by counts.evaluation_id
),
by_all as (
    select
        counts.evaluation_id,
        sum(
            outranked.share
            * (1 - coalesce(least(outranked.others_above, counts.num_rel) / nullif(counts.num_pairs, 0), 0))
        ) as total
    from counts
    join others_above(rel := $rel, nonrelevant := 'retrieved', ties := $ties) as outranked using (evaluation_id)
    group by counts.evaluation_id
),
variants as (
    select
        evaluated_topics.qrels,
        evaluated_topics.run,
        evaluated_topics.topic,
        unnest([
            {
                'variant': 'each relevant document loses min(n, R) / R, as in the article of 2004',
                'given': by_judged.total_by_rel / counts.num_rel
            },
            {
                'variant': 'takes documents without a judgment as judged not relevant',
                'given': by_all.total / counts.num_rel
            },
            {
                'variant': 'divides by all documents judged not relevant',
                'given': by_judged.total_by_nonrel / counts.num_rel
            },
            {
                'variant': 'divides by the relevant documents retrieved',
                'given': by_judged.total / by_judged.num_rel_ret
            }
        ], recursive := true)
    from evaluated_topics
    join counts using (evaluation_id)
    left join by_judged using (evaluation_id)
    left join by_all using (evaluation_id)
)
select
    qrels,
    run,
    topic,
    cast(null as integer) as k,
    variant,
    coalesce(given, 0) as value
from variants

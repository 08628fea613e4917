-- measure: Rprec
-- title: Precision after as many documents as there are relevant ones
-- aliases: R-precision, R-Prec, RPrecision
-- trec_eval: Rprec
-- trec_eval: Rprec_mult.multiple = 0.2,0.4,0.6,0.8,1.0,1.2,1.4,1.6,1.8,2.0
-- parameters: rel, multiple, judged_only, ties
--   multiple double in [0, inf) = 1      how many times as many documents as there are relevant ones
-- definition: Relevant documents among the first c, divided by c, where c = floor(multiple * R + 0.9) and R is the
--    number of relevant documents; 0 if c is 0.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.4
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0.
-- range: 0 1
-- mean: arithmetic
-- holes: rprec_bounds
-- example: single-value-1 Rprec = 0.4
-- example: single-value-2 Rprec = 0.33
with depths as (
    select
        evaluations.evaluation_id as evaluation_id,
        cast(multiples.value as double) as multiple,
        floor(cast(multiples.value as double) * topic_counts.num_rel + 0.9) as depth
    from asked_evaluations() as evaluations
    join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
    cross join given_values(given := $multiple) as multiples
),
found as (
    select
        depths.evaluation_id as evaluation_id,
        depths.multiple,
        sum(relevant.share) as num_rel_ret
    from depths
    join relevant_ranks(rel := $rel, judged_only := $judged_only, ties := $ties) as relevant
        on relevant.evaluation_id = depths.evaluation_id
        and relevant.rank <= depths.depth
    group by depths.evaluation_id, depths.multiple
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    depths.multiple,
    coalesce(found.num_rel_ret / nullif(depths.depth, 0), 0) as value
from evaluated_topics
join depths using (evaluation_id)
left join found using (evaluation_id, multiple)

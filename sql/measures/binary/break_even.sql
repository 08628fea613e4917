-- measure: BreakEven
-- title: The break-even point: precision at the place where it equals recall
-- aliases: break-even, BEP
-- parameters: rel, ties
-- columns:
--   rank            R, the number of relevant documents, where the two are equal; null if there are none
-- definition: r of the first n documents being relevant, precision r / n equals recall r / R at n = R, and elsewhere
--    only if both are 0; so this is R-precision. A shorter ranking is taken to go on with documents that are not
--    relevant; 0 if there are no relevant documents.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.4
-- differs: Some take the point where interpolated precision or a line between two points meets recall.
-- range: 0 1
-- mean: arithmetic
-- holes: rprec_bounds
-- scores: no
-- example: textbook-curves BreakEven = 0.5
with relevant_counts as (
    select
        qrels.qrels,
        topics.topic,
        topic_counts.num_rel
    from topic_counts(rel := $rel) as topic_counts
    join qrels using (qrels_id)
    join topics on topics.topic_id = topic_counts.topic_id
)
select
    rprec.qrels,
    rprec.run,
    rprec.topic,
    rprec.value,
    nullif(relevant_counts.num_rel, 0) as rank
from rprec(rel := $rel, ties := $ties) as rprec
join relevant_counts using (qrels, topic)

-- measure: Rprec
-- title: Precision after as many documents as there are relevant ones
-- aliases: R-precision, RPrecision
-- parameters:
--   rel integer in [0, inf) = 1     least grade that counts as relevant
-- definition: Relevant documents among the first R, divided by R, the number of relevant documents; 0 if
--    there are none.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.4
-- range: 0 1
-- mean: arithmetic
-- example: single-value-1 Rprec = 0.4
-- example: single-value-2 Rprec = 0.33
with found as (
    select
        evaluated.evaluation_id as evaluation_id,
        count(*) as num_rel_ret
    from evaluated
    join topic_facts(rel := $rel) as topic_facts
        on topic_facts.qrels_id = evaluated.qrels_id
        and topic_facts.topic_id = evaluated.topic_id
    join relevant_ranks(rel := $rel) as relevant_ranks
        on relevant_ranks.evaluation_id = evaluated.evaluation_id
        and relevant_ranks.rank <= topic_facts.num_rel
    group by evaluated.evaluation_id
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    coalesce(found.num_rel_ret / nullif(cast(topic_facts.num_rel as double), 0), 0) as value
from evaluated
join topic_facts(rel := $rel) as topic_facts
    on topic_facts.qrels_id = evaluated.qrels_id
    and topic_facts.topic_id = evaluated.topic_id
left join found on found.evaluation_id = evaluated.evaluation_id

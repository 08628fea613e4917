-- measure: MaxF
-- title: The highest F on the precision-recall curve
-- parameters: beta, rel, ties in {rule, worst, best}
--   beta double in [0, 1e9] = 1            weight of recall over precision; 2 holds it for twice as important
-- columns:
--   rank            the first rank at which F is highest; null if no relevant document is retrieved
-- definition: The highest of F@k over all ranks k, F@k being (1 + beta^2) r / (beta^2 R + k) with r of the R relevant
--    documents among the first k; 0 if no relevant document is retrieved.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.4
-- differs: Nothing known; no other program here has it.
-- range: 0 1
-- mean: arithmetic
-- holes: none, the best rank moves with each hole, so that no order of holes is known that is always best
-- scores: no
-- example: textbook-curves MaxF = 0.5714
with f_by_rank as (
    -- F falls from one relevant document to the next, so the highest is at one of them.
    select
        relevant.evaluation_id,
        relevant.rank,
        (1 + $beta * $beta) * relevant.relevant_rank
            / ($beta * $beta * topic_counts.num_rel + relevant.rank) as f
    from relevant_ranks(rel := $rel, ties := $ties) as relevant
    join asked_evaluations() as evaluations using (evaluation_id)
    join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
),
highest_first as (
    select
        evaluation_id,
        rank,
        f,
        row_number() over (
            partition by evaluation_id
            order by f desc, rank
        ) as number
    from f_by_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(highest_first.f, 0) as value,
    highest_first.rank as rank
from evaluated_topics
left join highest_first
    on highest_first.evaluation_id = evaluated_topics.evaluation_id
    and highest_first.number = 1

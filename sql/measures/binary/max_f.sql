-- measure: MaxF
-- title: The highest F on the precision-recall curve
-- parameters: beta, rel, ties in {rule, worst, best}
--   beta double in [0, 1e9] = 1            weight of recall over precision; 2 holds it for twice as important
-- columns:
--   rank            the first place where F is highest; null if no relevant document is retrieved
-- definition: The highest of F@k over all places k of the ranking; 0 if no relevant document is retrieved.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.4
-- differs: Nothing known; no other program here has it.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: textbook-curves MaxF = 0.5714
with points as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        relevant_ranks.rank as rank,
        (1 + $beta * $beta) * relevant_ranks.nth
            / ($beta * $beta * topic_counts.num_rel + relevant_ranks.rank) as f
    from evaluated_topics
    join topic_counts(rel := $rel) as topic_counts
        on topic_counts.qrels_id = evaluated_topics.qrels_id
        and topic_counts.topic_id = evaluated_topics.topic_id
    join relevant_ranks(rel := $rel, ties := $ties) as relevant_ranks
        on relevant_ranks.evaluation_id = evaluated_topics.evaluation_id
),
ordered as (
    -- F falls from one relevant document to the next, so the highest is at one of them.
    select
        evaluation_id,
        rank,
        f,
        row_number() over (
            partition by evaluation_id
            order by f desc, rank
        ) as place
    from points
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(ordered.f, 0) as value,
    ordered.rank as rank
from evaluated_topics
left join ordered
    on ordered.evaluation_id = evaluated_topics.evaluation_id
    and ordered.place = 1

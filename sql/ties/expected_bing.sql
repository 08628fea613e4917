-- title: binG expected over all orders of tied documents
-- definition: Of the documents tied with a relevant one that are not relevant, 0 to all stand above it, each number
--    with the same probability.
-- parameters: rel
-- columns: qrels, run, topic, value
with tied as (
    select
        evaluation_id,
        num_rel,
        last_rank - first_rank + 1 - num_rel as num_others,
        first_rank - 1 - rel_above as others_above
    from tie_groups(rel := $rel)
    where num_rel > 0
),
discounted as (
    select
        tied.evaluation_id as evaluation_id,
        sum(
            tied.num_rel / (tied.num_others + 1)
                / log2(2 + tied.others_above + ranks_to_longest.rank - 1)
        ) as total
    from tied
    join ranks_to_longest on ranks_to_longest.rank between 1 and tied.num_others + 1
    group by tied.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(discounted.total / nullif(topic_counts.num_rel, 0), 0) as value
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts
    on topic_counts.qrels_id = evaluated_topics.qrels_id
    and topic_counts.topic_id = evaluated_topics.topic_id
left join discounted on discounted.evaluation_id = evaluated_topics.evaluation_id

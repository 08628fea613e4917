-- title: ROC expected over all orders of tied documents
-- definition: Of the documents tied with a relevant one that are not relevant, 0 to all stand above it, each
--    number with the same probability.
-- parameters: n, rel, nonrelevant
--   n integer in [1, inf) = 50   false positives at which the curve ends
-- columns: qrels, run, topic, value
with tied as (
    select
        evaluation_id,
        num_rel,
        case when $nonrelevant = 'judged' then num_nonrel else last_rank - first_rank + 1 - num_rel end as num_nonrel,
        $n - case when $nonrelevant = 'judged' then nonrel_above else first_rank - 1 - rel_above end as num_left
    from tie_groups(rel := $rel)
    where num_rel > 0
),
gaining as (
    -- The first of these numbers leave false positives of the first n below the relevant document.
    select
        evaluation_id,
        num_rel,
        num_nonrel,
        num_left,
        least(num_left, num_nonrel + 1) as num_gaining
    from tied
    where num_left > 0
),
areas as (
    select
        evaluation_id,
        sum(
            cast(num_rel as double)
                * num_gaining
                * (num_left - (num_gaining - 1) / 2)
                / (num_nonrel + 1)
        ) as total
    from gaining
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(areas.total / $n / nullif(topic_counts.num_rel, 0), 0) as value
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts
    on topic_counts.qrels_id = evaluated_topics.qrels_id
    and topic_counts.topic_id = evaluated_topics.topic_id
left join areas on areas.evaluation_id = evaluated_topics.evaluation_id

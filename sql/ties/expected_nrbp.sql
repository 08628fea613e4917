-- title: NRBP expected over all orders of tied documents
-- parameters: alpha, beta, rel
--   alpha double in [0, 1] = 0.5   how much a subtopic loses with each document relevant to it
--   beta double in (0, 1) = 0.5    how likely the reader goes on to the next document
-- columns: qrels, run, topic, value
with sums as (
    select
        evaluation_id,
        sum(gain * pow($beta, rank - 1)) as total
    from expected_novel_gains(alpha := $alpha, rel := $rel)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce((1 - (1 - $alpha) * $beta) * sums.total / subtopic_counts.num_subtopics, 0) as value
from evaluated_topics
left join subtopic_counts(rel := $rel) as subtopic_counts
    on subtopic_counts.qrels_id = evaluated_topics.qrels_id
    and subtopic_counts.topic_id = evaluated_topics.topic_id
left join sums on sums.evaluation_id = evaluated_topics.evaluation_id

-- title: nNRBP expected over all orders of tied documents
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
),
ideal_sums as (
    select
        qrels_id,
        topic_id,
        sum(gain * pow($beta, rank - 1)) as total
    from ideal_novel_gains(alpha := $alpha, rel := $rel)
    group by qrels_id, topic_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(sums.total / nullif(ideal_sums.total, 0), 0) as value
from evaluated_topics
left join sums on sums.evaluation_id = evaluated_topics.evaluation_id
left join ideal_sums
    on ideal_sums.qrels_id = evaluated_topics.qrels_id
    and ideal_sums.topic_id = evaluated_topics.topic_id

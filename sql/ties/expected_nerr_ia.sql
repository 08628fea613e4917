-- title: nERR_IA expected over all orders of tied documents
-- parameters: k, alpha, rel, judged_only
--   alpha double in [0, 1] = 0.5   how much a subtopic loses with each document relevant to it
-- columns: qrels, run, topic, value
with sums as (
    select
        evaluation_id,
        sum(gain / rank) as total
    from expected_novel_gains(alpha := $alpha, rel := $rel, judged_only := $judged_only)
    where rank <= coalesce($k, rank)
    group by evaluation_id
),
ideal_sums as (
    select
        qrels_id,
        topic_id,
        sum(gain / rank) as total
    from ideal_novel_gains(alpha := $alpha, rel := $rel, k := $k)
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

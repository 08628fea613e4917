-- title: alpha_DCG expected over all orders of tied documents
-- parameters: k, alpha, rel, judged_only
--   alpha double in [0, 1] = 0.5   how much a subtopic loses with each document relevant to it
-- columns: qrels, run, topic, value
with dcgs as (
    select
        evaluation_id,
        sum(gain * ln(2) / ln(rank + 1)) as total
    from expected_novel_gains(alpha := $alpha, rel := $rel, judged_only := $judged_only)
    where rank <= coalesce($k, rank)
    group by evaluation_id
),
perfect as (
    select sum(pow(1 - $alpha, rank - 1) * ln(2) / ln(rank + 1)) as total
    from ranks_of_gains(alpha := $alpha, k := $k)
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(dcgs.total / (subtopic_counts.num_subtopics * perfect.total), 0) as value
from evaluated_topics
cross join perfect
left join subtopic_counts(rel := $rel) as subtopic_counts
    on subtopic_counts.qrels_id = evaluated_topics.qrels_id
    and subtopic_counts.topic_id = evaluated_topics.topic_id
left join dcgs on dcgs.evaluation_id = evaluated_topics.evaluation_id

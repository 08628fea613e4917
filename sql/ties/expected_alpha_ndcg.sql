-- title: alpha_nDCG expected over all orders of tied documents
-- parameters: k, alpha, rel, judged_only
--   alpha double in [0, 1] = 0.5   how much a subtopic loses with each document relevant to it
-- columns: qrels, run, topic, value
--   dcg    sum of expected gain / log2(rank + 1) over the first k
--   idcg   sum of gain / log2(rank + 1) over the first k of the ideal ranking
with dcgs as (
    select
        evaluation_id,
        sum(gain * ln(2) / ln(rank + 1)) as total
    from expected_novel_gains(alpha := $alpha, rel := $rel, judged_only := $judged_only)
    where rank <= coalesce($k, rank)
    group by evaluation_id
),
ideal_dcgs as (
    select
        qrels_id,
        topic_id,
        sum(gain * ln(2) / ln(rank + 1)) as total
    from ideal_novel_gains(alpha := $alpha, rel := $rel, k := $k)
    group by qrels_id, topic_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(dcgs.total / nullif(ideal_dcgs.total, 0), 0) as value,
    coalesce(dcgs.total, 0) as dcg,
    coalesce(ideal_dcgs.total, 0) as idcg
from evaluated_topics
left join dcgs on dcgs.evaluation_id = evaluated_topics.evaluation_id
left join ideal_dcgs
    on ideal_dcgs.qrels_id = evaluated_topics.qrels_id
    and ideal_dcgs.topic_id = evaluated_topics.topic_id

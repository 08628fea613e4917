-- title: The cumulated gain of each ranking and the ideal one, as the judgments are
-- parameters: k, dcg, gains, discounted
--   discounted boolean = true   whether a rank weighs 1 / log2(rank + 1); else each weighs 1
-- columns: evaluation_id, qrels_id, topic_id
--   gained   sum of gain times weight over the first k
--   ideal    the same sum of the ideal ranking
with gained as (
    select
        evaluation_id,
        fsum(gain * case when $discounted then 1 / log2(rank + 1) else 1 end) as total
    from gains_by_rank(dcg := $dcg, gains := $gains)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id
),
ideals as (
    select
        qrels_id,
        topic_id,
        fsum(gain * case when $discounted then 1 / log2(rank + 1) else 1 end) as total
    from ideal_gains(dcg := $dcg, gains := $gains)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by qrels_id, topic_id
)
select
    evaluations.evaluation_id as evaluation_id,
    evaluations.qrels_id as qrels_id,
    evaluations.topic_id as topic_id,
    coalesce(gained.total, 0) as gained,
    coalesce(ideals.total, 0) as ideal
from asked_evaluations() as evaluations
left join gained using (evaluation_id)
left join ideals using (qrels_id, topic_id)

-- measure: Rndcg
-- title: Normalised discounted cumulative gain averaged over the places where the ideal gain changes
-- trec_eval: Rndcg.gains
-- parameters: gains, rel, ties
-- definition: Mean of DCG / ideal DCG at the last place of each positive gain in the ideal ranking, and at the end of the
--    ranking where it is longer than the ideal one by two or more; 0 for a topic without relevant documents.
-- reference: Buckley, trec_eval, measure Rndcg, which calls it experimental
-- differs: trec_eval sorts fractional gains as if they were integers, and divides 0 by 0 where relevant documents have no
--    gain; here that is 0.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: graded Rndcg = 0.3155
with lengths as (
    select
        qrels_id,
        topic_id,
        max(rank) as length,
        max(idcg) as idcg
    from ideal_dcg_by_rank(gains := $gains)
    group by qrels_id, topic_id
),
points as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        ideal_dcg_by_rank.rank as rank,
        ideal_dcg_by_rank.idcg as idcg
    from evaluated_topics
    join ideal_dcg_by_rank(gains := $gains) as ideal_dcg_by_rank
        on ideal_dcg_by_rank.qrels_id = evaluated_topics.qrels_id
        and ideal_dcg_by_rank.topic_id = evaluated_topics.topic_id
    where
        ideal_dcg_by_rank.next_gain is null
        or ideal_dcg_by_rank.next_gain <> ideal_dcg_by_rank.gain
    union all
    select
        evaluated_topics.evaluation_id as evaluation_id,
        evaluated_topics.num_ret as rank,
        lengths.idcg as idcg
    from evaluated_topics
    join lengths
        on lengths.qrels_id = evaluated_topics.qrels_id
        and lengths.topic_id = evaluated_topics.topic_id
    where evaluated_topics.num_ret > lengths.length + 1
),
reached as (
    select
        points.evaluation_id,
        points.rank,
        coalesce(sum(gains_by_rank.gain * ln(2) / ln(gains_by_rank.rank + 1)), 0) / points.idcg as value
    from points
    left join gains_by_rank(gains := $gains, ties := $ties) as gains_by_rank
        on gains_by_rank.evaluation_id = points.evaluation_id
        and gains_by_rank.rank <= points.rank
    group by points.evaluation_id, points.rank, points.idcg
),
averages as (
    select
        evaluation_id,
        sum(value) / count(*) as value
    from reached
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case when topic_counts.num_rel > 0 then coalesce(averages.value, 0) else 0 end as value
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts
    on topic_counts.qrels_id = evaluated_topics.qrels_id
    and topic_counts.topic_id = evaluated_topics.topic_id
left join averages on averages.evaluation_id = evaluated_topics.evaluation_id

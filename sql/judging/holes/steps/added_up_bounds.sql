-- title: The bounds of a measure to which each document adds its own part
-- inputs: values_given, hole_weights
-- parameters: k
-- columns: qrels, run, topic
--   least      the value with all holes worth the least
--   greatest   the value with all holes worth the greatest
-- definition: What the holes add is what documents at all ranks would add, less that at the ranks of judged documents.
with weight_sums as (
    select
        qrels,
        rank,
        sum(least) over down as least,
        sum(greatest) over down as greatest
    from hole_weights
    window down as (
        partition by qrels
        order by rank
        rows between unbounded preceding and current row
    )
),
judged_sums as (
    select
        evaluated_topics.evaluation_id,
        sum(hole_weights.least) as least,
        sum(hole_weights.greatest) as greatest
    from asked_ranks() as ranks
    join evaluated_topics using (evaluation_id)
    join hole_weights
        on hole_weights.qrels = evaluated_topics.qrels
        and hole_weights.rank = ranks.rank
    where
        ranks.grade >= 0
        and ranks.rank <= coalesce($k, 2147483647)
    group by evaluated_topics.evaluation_id
)
select
    values_given.qrels,
    values_given.run,
    values_given.topic,
    values_given.value + coalesce(weight_sums.least, 0) - coalesce(judged_sums.least, 0) as least,
    values_given.value + coalesce(weight_sums.greatest, 0) - coalesce(judged_sums.greatest, 0) as greatest
from values_given
join evaluated_topics using (qrels, run, topic)
left join weight_sums
    on weight_sums.qrels = values_given.qrels
    and weight_sums.rank = least(coalesce($k, evaluated_topics.num_ret), evaluated_topics.num_ret)
left join judged_sums using (evaluation_id)

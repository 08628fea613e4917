-- measure: Rndcg
-- title: Normalised discounted cumulative gain averaged over the places where the ideal gain changes
-- trec_eval: Rndcg.gains
-- parameters: gains, rel, ties
-- definition: Mean of DCG / ideal DCG at the last place of each positive gain in the ideal ranking, and at the end of
--    the ranking where it is longer than the ideal one by two or more; 0 for a topic without relevant documents.
-- reference: Buckley, trec_eval, measure Rndcg, which calls it experimental
-- differs: trec_eval sorts fractional gains as if they were integers, and divides 0 by 0 where relevant documents
--    have no gain; here that is 0.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it divides by the ideal ranking at each document, and no order of holes is known that is always best
-- scores: no
-- example: graded Rndcg = 0.3155
with ideal as (
    select
        qrels_id,
        topic_id,
        rank,
        gain,
        lead(gain) over down as next_gain,
        sum(gain / log2(rank + 1)) over down as dcg
    from ideal_gains(gains := $gains)
    window down as (
        partition by qrels_id, topic_id
        order by rank
        rows between unbounded preceding and current row
    )
),
ideal_ends as (
    select
        qrels_id,
        topic_id,
        max(rank) as rank,
        max(dcg) as dcg
    from ideal
    group by qrels_id, topic_id
),
change_ranks as (
    select
        evaluations.evaluation_id as evaluation_id,
        ideal.rank as rank,
        ideal.dcg as ideal_dcg
    from asked_evaluations() as evaluations
    join ideal using (qrels_id, topic_id)
    where
        ideal.next_gain is null
        or ideal.next_gain <> ideal.gain
    union all
    select
        evaluated_topics.evaluation_id as evaluation_id,
        evaluated_topics.num_ret as rank,
        ideal_ends.dcg as ideal_dcg
    from evaluated_topics
    join ideal_ends using (qrels_id, topic_id)
    where evaluated_topics.num_ret > ideal_ends.rank + 1
),
ratios as (
    select
        change_ranks.evaluation_id,
        change_ranks.rank,
        coalesce(fsum(gains_by_rank.gain / log2(gains_by_rank.rank + 1)), 0) / change_ranks.ideal_dcg as ratio
    from change_ranks
    left join gains_by_rank(gains := $gains, ties := $ties) as gains_by_rank
        on gains_by_rank.evaluation_id = change_ranks.evaluation_id
        and gains_by_rank.rank <= change_ranks.rank
    group by change_ranks.evaluation_id, change_ranks.rank, change_ranks.ideal_dcg
),
averages as (
    select
        evaluation_id,
        avg(ratio) as value
    from ratios
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case when topic_counts.num_rel > 0 then coalesce(averages.value, 0) else 0 end as value
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
left join averages using (evaluation_id)

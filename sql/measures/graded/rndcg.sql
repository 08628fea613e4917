-- measure: Rndcg
-- title: Normalised discounted cumulative gain averaged over the places where the ideal gain changes
-- trec_eval: Rndcg.gains
-- parameters:
--   gains varchar = null            explicit gains, as '1=0.5,2=1'; a grade not listed is worth 0, or
--                                   itself where the list ends in ,*; without them the grade
--   rel integer in [0, inf) = 1     least grade that counts as relevant
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                     the worst, the best or what is expected over all orders
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
    from ideal_progress(gains := $gains)
    group by qrels_id, topic_id
),
points as (
    select
        evaluated.evaluation_id as evaluation_id,
        ideal_progress.rank as rank,
        ideal_progress.idcg as idcg
    from evaluated
    join ideal_progress(gains := $gains) as ideal_progress
        on ideal_progress.qrels_id = evaluated.qrels_id
        and ideal_progress.topic_id = evaluated.topic_id
    where
        ideal_progress.next_gain is null
        or ideal_progress.next_gain <> ideal_progress.gain
    union all
    select
        evaluated.evaluation_id as evaluation_id,
        evaluated.num_ret as rank,
        lengths.idcg as idcg
    from evaluated
    join lengths
        on lengths.qrels_id = evaluated.qrels_id
        and lengths.topic_id = evaluated.topic_id
    where evaluated.num_ret > lengths.length + 1
),
reached as (
    select
        points.evaluation_id,
        points.rank,
        coalesce(sum(gained_ranks.gain * ln(2) / ln(gained_ranks.rank + 1)), 0) / points.idcg as value
    from points
    left join gained_ranks(gains := $gains, ties := $ties) as gained_ranks
        on gained_ranks.evaluation_id = points.evaluation_id
        and gained_ranks.rank <= points.rank
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
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    case when topic_facts.num_rel > 0 then coalesce(averages.value, 0) else 0 end as value
from evaluated
join topic_facts(rel := $rel) as topic_facts
    on topic_facts.qrels_id = evaluated.qrels_id
    and topic_facts.topic_id = evaluated.topic_id
left join averages on averages.evaluation_id = evaluated.evaluation_id

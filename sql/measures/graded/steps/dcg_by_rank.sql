-- title: Each retrieved document that has a gain, with what the ranking and the ideal one have gained down to it
-- parameters: gains, ties
--   ties varchar in {rule, worst, best} = rule   order of tied documents: the tie rule's, or
--                                     the worst or the best of DCG over all orders
-- columns:
--   evaluation_id   key of the evaluation
--   rank            place in the ranking
--   gain            gain of the document there
--   total_gain      sum of the gains down to it
--   dcg             discounted cumulative gain down to it
--   idcg            the ideal ranking's down to the same place, or to its end
--   cost            sum of the ideal gains down to the same place, 1 where it is less or the ideal ranking has ended
with gained as (
    select
        evaluation_id,
        rank,
        gain,
        sum(gain) over progress as total_gain,
        sum(gain * ln(2) / ln(rank + 1)) over progress as dcg
    from gains_by_rank(gains := $gains, ties := $ties)
    window progress as (
        partition by evaluation_id
        order by rank
        rows between unbounded preceding and current row
    )
)
select
    gained.evaluation_id,
    gained.rank,
    gained.gain,
    gained.total_gain,
    gained.dcg,
    ideal_dcg_by_rank.idcg,
    ideal_dcg_by_rank.cost + greatest(gained.rank - ideal_lengths.num_gained, 0) as cost
from evaluated_topics
join ideal_lengths(gains := $gains) as ideal_lengths
    on ideal_lengths.qrels_id = evaluated_topics.qrels_id
    and ideal_lengths.topic_id = evaluated_topics.topic_id
join gained on gained.evaluation_id = evaluated_topics.evaluation_id
join ideal_dcg_by_rank(gains := $gains) as ideal_dcg_by_rank
    on ideal_dcg_by_rank.qrels_id = evaluated_topics.qrels_id
    and ideal_dcg_by_rank.topic_id = evaluated_topics.topic_id
    and ideal_dcg_by_rank.rank = least(gained.rank, ideal_lengths.num_gained)

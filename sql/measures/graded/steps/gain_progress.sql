-- title: Each retrieved document that has a gain, with what the ranking and the ideal one have gained down to it
-- parameters:
--   gains varchar = null    explicit gains, as '1=0.5,2=1'; a grade not listed is worth 0, or itself where the
--                           list ends in ,*
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
    from gained_ranks(gains := $gains, ties := $ties)
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
    ideal_progress.idcg,
    ideal_progress.cost + greatest(gained.rank - ideal_lengths.num_gained, 0) as cost
from evaluated
join ideal_lengths(gains := $gains) as ideal_lengths
    on ideal_lengths.qrels_id = evaluated.qrels_id
    and ideal_lengths.topic_id = evaluated.topic_id
join gained on gained.evaluation_id = evaluated.evaluation_id
join ideal_progress(gains := $gains) as ideal_progress
    on ideal_progress.qrels_id = evaluated.qrels_id
    and ideal_progress.topic_id = evaluated.topic_id
    and ideal_progress.rank = least(gained.rank, ideal_lengths.num_gained)

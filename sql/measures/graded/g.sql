-- measure: G
-- title: Gain discounted by how far the gains above fall short of the best possible ones
-- trec_eval: G.gains
-- parameters:
--   gains varchar = null            explicit gains, as '1=0.5,2=1'; a grade not listed is worth 0, or
--                                   itself where the list ends in ,*; without them the grade
-- definition: Sum over the documents retrieved of gain / log2(2 + C - S), divided by the sum of all gains of the topic: S
--    is the sum of the gains down to this document, C that of the ideal ranking's, each raised to 1 where it is less.
-- reference: Buckley, trec_eval, measure G, which calls it experimental
-- differs: trec_eval sorts fractional gains as if they were integers. Without ties: no value over all orders of tied
--    documents is known for it in closed form.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: graded G = 0.3333
with gained as (
    select
        evaluation_id,
        rank,
        gain,
        sum(gain) over (
            partition by evaluation_id
            order by rank
            rows between unbounded preceding and current row
        ) as total_gain
    from gained_ranks(gains := $gains)
),
ideal as (
    select
        qrels_id,
        topic_id,
        max(length) as length,
        max(total_gain) as total_gain
    from ideal_progress(gains := $gains)
    group by qrels_id, topic_id
),
sums as (
    select
        evaluated.evaluation_id as evaluation_id,
        sum(
            gained.gain
            * ln(2)
            / ln(2 + ideal_progress.cost + greatest(gained.rank - ideal.length, 0) - gained.total_gain)
        ) / max(ideal.total_gain) as value
    from evaluated
    join ideal
        on ideal.qrels_id = evaluated.qrels_id
        and ideal.topic_id = evaluated.topic_id
    join gained on gained.evaluation_id = evaluated.evaluation_id
    join ideal_progress(gains := $gains) as ideal_progress
        on ideal_progress.qrels_id = evaluated.qrels_id
        and ideal_progress.topic_id = evaluated.topic_id
        and ideal_progress.rank = least(gained.rank, ideal.length)
    group by evaluated.evaluation_id
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    coalesce(sums.value, 0) as value
from evaluated
left join sums on sums.evaluation_id = evaluated.evaluation_id

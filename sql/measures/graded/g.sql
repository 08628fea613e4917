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
with found as (
    select
        evaluation_id,
        sum(gain * ln(2) / ln(2 + cost - total_gain)) as total
    from gain_progress(gains := $gains)
    group by evaluation_id
),
ideal as (
    select
        qrels_id,
        topic_id,
        sum(gain) as total
    from ideal_gains(gains := $gains)
    group by qrels_id, topic_id
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    coalesce(found.total / ideal.total, 0) as value
from evaluated
left join ideal
    on ideal.qrels_id = evaluated.qrels_id
    and ideal.topic_id = evaluated.topic_id
left join found on found.evaluation_id = evaluated.evaluation_id

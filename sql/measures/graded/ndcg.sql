-- measure: nDCG
-- title: Normalised discounted cumulative gain
-- aliases: ndcg, ndcg_cut.k
-- parameters:
--   k integer in [1, inf) = null             rank cutoff; null is the whole ranking
--   dcg varchar in {log2, exp-log2} = log2   gain by grade: log2 takes the grade, exp-log2 takes 2^grade
--                                            - 1
--   gains varchar = null                     explicit gains, as '1=0.5,2=1'; a grade not listed is worth 0
-- columns:
--   dcg    discounted cumulative gain: sum of gain / log2(rank + 1) over the first k
--   idcg   the same for the judged documents in the order of their gain
-- definition: DCG / ideal DCG, each the sum of gain / log2(rank + 1) over the first k; 0 if the ideal is
--    0. Unjudged documents and negative grades have gain 0.
-- reference: Jarvelin and Kekalainen 2002, Cumulated gain-based evaluation of IR techniques,
--    doi:10.1145/582415.582418
-- differs: Without a cutoff the ideal takes all judged documents. trec_eval sorts fractional gains as if
--    they were integers, and keeps the grade as gain where its gain parameter names none.
-- range: 0 1
-- mean: arithmetic
-- example: graded nDCG = 0.5025
-- example: graded nDCG@2 = 0.4441
-- example: graded nDCG(dcg='exp-log2')@10 = 0.5234
with gained as (
    select
        judged_ranks.evaluation_id,
        sum(grade_gains.gain * ln(2) / ln(judged_ranks.rank + 1)) as total
    from judged_ranks
    join grade_gains(dcg := $dcg, gains := $gains) as grade_gains
        on grade_gains.grade = judged_ranks.grade
    where judged_ranks.rank <= coalesce($k, judged_ranks.rank)
    group by judged_ranks.evaluation_id
),
ideal as (
    select
        qrels_id,
        topic_id,
        sum(gain * ln(2) / ln(rank + 1)) as total
    from ideal_gains(dcg := $dcg, gains := $gains)
    where rank <= coalesce($k, rank)
    group by qrels_id, topic_id
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    coalesce(gained.total / nullif(ideal.total, 0), 0) as value,
    coalesce(gained.total, 0) as dcg,
    coalesce(ideal.total, 0) as idcg
from evaluated
left join gained on gained.evaluation_id = evaluated.evaluation_id
left join ideal
    on ideal.qrels_id = evaluated.qrels_id
    and ideal.topic_id = evaluated.topic_id

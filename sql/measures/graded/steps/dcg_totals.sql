-- title: Discounted cumulative gain of each ranking that has any
-- parameters:
--   k integer in [1, inf) = null             rank cutoff; null is the whole ranking
--   dcg varchar in {log2, exp-log2} = log2   gain by grade: log2 takes the grade, exp-log2 takes 2^grade
--                                            - 1
--   gains varchar = null                     explicit gains, as '1=0.5,2=1'; a grade not listed is worth 0,
--                                            or what dcg gives it where the list ends in ,*
--   judged_only boolean = false              whether documents without a grade of 0 or more are
--                                            left out of the rankings
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                     the worst, the best or what is expected over all orders
-- columns:
--   evaluation_id   key of the evaluation
--   total           sum of gain / log2(rank + 1) over the first k
select
    evaluation_id,
    sum(gain * ln(2) / ln(rank + 1)) as total
from gains_by_rank(dcg := $dcg, gains := $gains, judged_only := $judged_only, ties := $ties)
where rank <= coalesce($k, rank)
group by evaluation_id

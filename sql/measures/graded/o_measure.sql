-- measure: O_measure
-- title: O-measure: blend of precision and normalised cumulated gain at the first document with a gain
-- aliases: O-measure
-- parameters:
--   beta double in [0, inf) = 1     weight of gains over counts; 0 gives RR
--   gains varchar = null            explicit gains, as '1=0.5,2=1'; a grade not listed is worth 0, or
--                                   itself where the list ends in ,*; without them the grade
-- definition: (1 + beta * gain) / (rank + beta * I) of the first document with a gain, I being the sum of the
--    ideal ranking's gains down to the same place; 0 if none is retrieved.
-- reference: Sakai 2007, On the properties of evaluation metrics for finding one highly relevant document,
--    doi:10.2197/ipsjdc.3.643
-- differs: None of trec_eval, ranx and ir_measures has it. Negative gains are left out. Without ties: no value
--    over all orders of tied documents is known for it in closed form.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: user-models O_measure = 0.6667
with first_found as (
    select
        evaluation_id,
        ratio
    from blended_ratios(beta := $beta, gains := $gains)
    where nth = 1
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    coalesce(first_found.ratio, 0) as value
from evaluated
left join first_found on first_found.evaluation_id = evaluated.evaluation_id

-- measure: INSQ
-- title: Weighted precision of a reader who goes on the likelier the more documents are wanted and the deeper the rank
-- parameters: t, min_rel, max_rel, depth, ties
-- definition: Sum of W * gain, W being proportional to 1 / (rank + 2t - 1)^2 and adding up to 1 over all ranks
--    down to the depth. The gain is (grade - min_rel) / (max_rel - min_rel), between 0 and 1.
-- reference: Moffat, Scholer and Thomas 2012, Models and metrics: IR evaluation as a user process,
--    doi:10.1145/2407085.2407092
-- differs: Equal to cwl_eval and ir_measures, which demand max_rel and take 1000 ranks; the definition in print
--    goes on without end, depth=null.
-- range: 0 1
-- mean: arithmetic
-- holes: filled_ranks to depth, added up
-- scores: no
-- example: user-models INSQ(depth=4) = 0.4044
-- example: user-models INSQ(depth=null) = 0.2907
with discounted as (
    select
        evaluation_id,
        fsum(gain / pow(rank + 2 * $t - 1, 2)) as total
    from scaled_gains(min_rel := $min_rel, max_rel := $max_rel, ties := $ties)
    where rank <= coalesce($depth, rank)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    -- The weights add up to a difference of the trigamma function.
    coalesce(discounted.total / (trigamma(2 * $t) - coalesce(trigamma($depth + 2 * $t), 0)), 0) as value
from evaluated_topics
left join discounted using (evaluation_id)

-- measure: NPV
-- title: Net present value of the gains, as a rate per document
-- parameters: rate, min_rel, max_rel, depth, ties
--   rate double in (0, inf) = 0.1            by how much a gain is discounted from one document to the next
-- definition: Sum of W * gain, W being proportional to (1 + rate)^(1 - rank) and adding up to 1 over all ranks
--    down to the depth. The gain is (grade - min_rel) / (max_rel - min_rel), between 0 and 1. It is RBP with p = 1
--    / (1 + rate) and graded gains.
-- reference: Azzopardi, Thomas and Moffat 2019, cwl_eval: an evaluation tool for information retrieval,
--    doi:10.1145/3331184.3331398
-- differs: Nothing known; equal to cwl_eval.
-- range: 0 1
-- mean: arithmetic
-- holes: filled_ranks to depth, added up
-- scores: no
-- example: user-models NPV(rate=1) = 0.375
with discounted as (
    select
        evaluation_id,
        fsum(gain * pow(1 + $rate, 1 - rank)) as total
    from scaled_gains(min_rel := $min_rel, max_rel := $max_rel, ties := $ties)
    where rank <= coalesce($depth, rank)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    -- The weights add up to (1 - (1 + rate)^-depth) / (1 - 1 / (1 + rate)).
    coalesce(
        discounted.total * (1 - 1 / (1 + $rate)) / (1 - coalesce(pow(1 + $rate, -$depth), 0)),
        0
    ) as value
from evaluated_topics
left join discounted using (evaluation_id)

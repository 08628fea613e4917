-- measure: Depth
-- title: Depth of the ranking against a hundred
-- aliases: depth_of_ranking
-- parameters:
--   enough integer in [1, inf) = 100   depth that counts as full
-- columns:
--   num_ret   documents retrieved
-- definition: Documents retrieved, divided by the full depth, 1 at most.
-- reference: made for this test
-- differs: nobody else has it
-- range: 0 1
-- mean: arithmetic
-- example: tap-2 Depth = 0.04
select
    qrels,
    run,
    topic,
    least(cast(num_ret as double) / $enough, 1) as value,
    num_ret
from evaluated_topics

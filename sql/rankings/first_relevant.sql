-- title: Rank of the first relevant document of each ranking that has one
-- parameters:
--   rel integer in [0, inf) = 1   least grade that counts as relevant
-- columns:
--   evaluation_id   key of the evaluation
--   rank            place of the first relevant document
select
    evaluation_id,
    min(rank) as rank
from relevant_ranks(rel := $rel)
group by evaluation_id

-- measure: GSuccess
-- title: Generalized success: a first relevant score that is one half at the cutoff
-- aliases: generalized_success
-- parameters: k, rel, ties
--   k integer in [2, inf) = 10      rank at which the score is one half
-- definition: 2^(-(r - 1) / (k - 1)), r being the rank of the first relevant document; 0 if none is retrieved. It is
--    FRS with the base 2^(1 / (k - 1)), and rounds to Success@k.
-- reference: Tomlinson 2006, Comparing the Robustness of Expansion Techniques and Retrieval Measures, working notes of
--    CLEF 2006
-- differs: Tomlinson rounds the base, to 1.08 for k = 10 and 1.024 for k = 30: FRS and FRS(base=1.024) here.
-- range: 0 1
-- mean: arithmetic
-- holes: filled_ranks, first found
-- scores: no
-- example: first-relevant-score GSuccess@10 = 0.4963
with found as (
    select
        evaluation_id,
        cutoffs.last_rank,
        fsum(share * pow(cast(2 as double), (1 - rank) / (cutoffs.k - 1))) as total
    from first_relevant(rel := $rel, ties := $ties)
    cross join cutoffs(k := $k) as cutoffs
    group by evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(found.total, 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join found using (evaluation_id, last_rank)

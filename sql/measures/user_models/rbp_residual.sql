-- measure: RBP_residual
-- title: Residual of rank-biased precision: what unjudged documents could still add
-- aliases: rbp_residual
-- parameters: p = 0.8, k, ties
--   k integer in [1, inf) = null    rank cutoff; everything below it counts as unjudged; null is the
--                                   whole ranking
-- definition: 1 - (1 - p) times the sum over the judged documents among the first k of p^(rank - 1). A
--    negative grade is no judgment.
-- reference: Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness,
--    doi:10.1145/1416950.1416952
-- differs: trec_eval 10's rbp_resid is 0 where every document retrieved is judged, dropping the tail below the ranking;
--    that is RBP_resid here.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it says itself how much is judged
-- better: less
-- example: graded RBP_residual(p=0.5) = 0.125
with seen as (
    select
        evaluation_id,
        cutoffs.last_rank,
        fsum(share * pow($p, rank - 1)) as total
    from relevant_ranks(rel := 0, ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    1 - (1 - $p) * coalesce(seen.total, 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join seen using (evaluation_id, last_rank)

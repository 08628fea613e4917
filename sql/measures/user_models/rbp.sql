-- measure: RBP
-- title: Rank-biased precision
-- aliases: rank_biased_precision
-- parameters: p = 0.8, rel, gains, k, judged_only, ties
--   rel integer in [0, inf) = 1     least grade that counts as relevant; not used when gains are given
-- definition: (1 - p) times the sum over the first k of gain * p^(rank - 1). The gain is 1 for a relevant
--    document, or what the gains say.
-- reference: Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness,
--    doi:10.1145/1416950.1416952
-- differs: trec_eval 10 rescales grades by each topic's own greatest grade; ranx takes raw grades and
--    exceeds 1.
-- range: 0 1
-- mean: arithmetic
-- holes: filled_ranks to k, added up
-- example: graded RBP(p=0.5) = 0.375
-- example: graded RBP(p=0.5,gains={1:0.5,2:1,3:1}) = 0.3125
with gained as (
    select
        evaluation_id,
        rank,
        share as gain
    from relevant_ranks(rel := $rel, judged_only := $judged_only, ties := $ties)
    where $gains is null
    union all
    select
        evaluation_id,
        rank,
        gain
    from gains_by_rank(gains := $gains, judged_only := $judged_only, ties := $ties)
    where $gains is not null
),
discounted as (
    select
        gained.evaluation_id,
        cutoffs.last_rank,
        fsum(gained.gain * pow($p, gained.rank - 1)) as total
    from gained
    join cutoffs(k := $k) as cutoffs on gained.rank <= cutoffs.last_rank
    group by gained.evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    (1 - $p) * coalesce(discounted.total, 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join discounted using (evaluation_id, last_rank)

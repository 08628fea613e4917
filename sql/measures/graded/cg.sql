-- measure: CG
-- title: Cumulated gain
-- parameters: k, dcg, gains, ties
-- definition: Sum of the gains over the first k, without a discount. Unjudged documents and negative grades have
--    gain 0.
-- reference: Jarvelin and Kekalainen 2002, Cumulated gain-based evaluation of IR techniques,
--    doi:10.1145/582415.582418
-- differs: None of trec_eval, ranx and ir_measures has it.
-- range: 0 inf
-- mean: arithmetic
-- holes: filled_ranks to k, added up
-- scores: no
-- example: user-models CG = 3
-- example: user-models CG@2 = 1
with cgs as (
    select
        evaluation_id,
        cutoffs.last_rank,
        sum(gain) as total
    from gains_by_rank(dcg := $dcg, gains := $gains, ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(cgs.total, 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join cgs using (evaluation_id, last_rank)

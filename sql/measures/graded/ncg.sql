-- measure: nCG
-- title: Normalised cumulated gain
-- parameters: k, dcg, gains, ties
-- definition: CG / ideal CG, each the sum of the gains over the first k; 0 if the ideal is 0.
-- reference: Jarvelin and Kekalainen 2002, Cumulated gain-based evaluation of IR techniques,
--    doi:10.1145/582415.582418
-- differs: None of trec_eval, ranx and ir_measures has it.
-- range: 0 1
-- mean: arithmetic
-- holes: ncg_bounds
-- scores: no
-- example: user-models nCG = 0.75
-- example: user-models nCG@2 = 0.3333
with ideal_cgs as (
    select
        qrels_id,
        topic_id,
        cutoffs.last_rank,
        sum(gain) as total
    from ideal_gains(dcg := $dcg, gains := $gains)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by qrels_id, topic_id, cutoffs.last_rank
),
cgs as (
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
    coalesce(cgs.total / nullif(ideal_cgs.total, 0), 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join cgs using (evaluation_id, last_rank)
left join ideal_cgs using (qrels_id, topic_id, last_rank)

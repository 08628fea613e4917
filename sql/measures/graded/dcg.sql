-- measure: DCG
-- title: Discounted cumulative gain
-- aliases: dcg_burges(dcg=exp-log2)
-- trec_eval: dcg.gains
-- parameters: k, dcg, gains, judged_only, ties
-- definition: Sum of gain / log2(rank + 1) over the first k. Unjudged documents and negative grades have gain 0.
-- reference: Jarvelin and Kekalainen 2002, Cumulated gain-based evaluation of IR techniques,
--    doi:10.1145/582415.582418
-- differs: Only trec_eval 10 has it, without a cutoff; asking it for dcg and ndcg with gains at once makes it crash.
-- range: 0 inf
-- mean: arithmetic
-- holes: filled_ranks to k, added up
-- scores: no
-- example: graded DCG = 2.3928
-- example: graded DCG@2 = 1.8928
with dcgs as (
    select
        evaluation_id,
        cutoffs.last_rank,
        fsum(gain / log2(rank + 1)) as total
    from gains_by_rank(dcg := $dcg, gains := $gains, judged_only := $judged_only, ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(dcgs.total, 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join dcgs using (evaluation_id, last_rank)

-- measure: IDCG
-- title: Discounted cumulative gain of the ideal ranking
-- aliases: ideal_dcg
-- trec_eval: ideal_dcg.gains
-- parameters: k, dcg, gains
-- definition: Sum of gain / log2(rank + 1) over the first k of the judged documents in the order of their gain.
-- reference: Jarvelin and Kekalainen 2002, Cumulated gain-based evaluation of IR techniques,
--    doi:10.1145/582415.582418
-- differs: Only trec_eval 10 has it, without a cutoff, and sorts fractional gains as if they were integers.
-- range: 0 inf
-- mean: arithmetic
-- holes: none, it is of judgments alone
-- scores: no
-- example: graded IDCG = 4.7619
with ideal_dcgs as (
    select
        qrels_id,
        topic_id,
        cutoffs.last_rank,
        fsum(gain / log2(rank + 1)) as total
    from ideal_gains(dcg := $dcg, gains := $gains)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by qrels_id, topic_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(ideal_dcgs.total, 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join ideal_dcgs using (qrels_id, topic_id, last_rank)

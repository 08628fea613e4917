-- measure: nDCG
-- title: Normalised discounted cumulative gain
-- aliases: ndcg_burges(dcg=exp-log2)
-- trec_eval: ndcg.gains
-- trec_eval: ndcg_cut.k = 5,10,15,20,30,100,200,500,1000
-- parameters: k, dcg, gains, judged_only, ties
-- columns:
--   dcg    discounted cumulative gain: sum of gain / log2(rank + 1) over the first k
--   idcg   the same sum over the first k of the ideal ranking, the topic's judged documents from the greatest gain down
-- definition: DCG / ideal DCG, each the sum of gain / log2(rank + 1) over the first k; 0 if the ideal is 0. The gain
--    is the grade, unless dcg or gains say otherwise. Unjudged documents and negative grades have gain 0.
-- reference: Jarvelin and Kekalainen 2002, Cumulated gain-based evaluation of IR techniques,
--    doi:10.1145/582415.582418
-- differs: Without a cutoff the ideal takes all judged documents, however short the ranking. trec_eval sorts fractional
--    gains as if they were integers, so that the perfect ranking can score 0. In trec_eval and ir_measures a grade
--    that the list of gains leaves out is its own gain. Here it has gain 0, unless the list ends with ",*". ranx drops
--    grades below its relevance level.
-- range: 0 1
-- mean: arithmetic
-- holes: ndcg_bounds
-- scores: @10
-- example: graded nDCG = 0.5025
-- example: graded nDCG@2 = 0.4441
-- example: graded nDCG(dcg='exp-log2')@10 = 0.5234
with ideal_dcgs as (
    select
        qrels_id,
        topic_id,
        cutoffs.last_rank,
        fsum(gain / log2(rank + 1)) as total
    from ideal_gains(dcg := $dcg, gains := $gains)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by qrels_id, topic_id, cutoffs.last_rank
),
dcgs as (
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
    coalesce(dcgs.total / nullif(ideal_dcgs.total, 0), 0) as value,
    coalesce(dcgs.total, 0) as dcg,
    coalesce(ideal_dcgs.total, 0) as idcg
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join dcgs using (evaluation_id, last_rank)
left join ideal_dcgs using (qrels_id, topic_id, last_rank)

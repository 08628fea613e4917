-- measure: alpha_nDCG
-- title: Normalised discounted cumulative gain that rewards novelty
-- aliases: alpha-nDCG
-- parameters: k, alpha, rel, judged_only, ties
-- columns:
--   dcg    sum of gain / log2(rank + 1) over the first k
--   idcg   the same for the ideal ranking
-- definition: A document gains (1 - alpha)^n for each subtopic it is relevant to, n being how many documents
--    above it are relevant to that one. The sum of gain / log2(rank + 1) over the first k, divided by that of
--    the ideal ranking, which puts next what gains most, of documents that gain alike the one whose name comes
--    last. Subtopics are the iterations of the topic's judgments in which a document is relevant; 0 where there
--    are none. Above 1 where a ranking does better than that choice, which is not always the best.
-- reference: Clarke, Kolla, Cormack, Vechtomova, Ashkan, Buettcher and MacKinnon 2008, Novelty and diversity in
--    information retrieval evaluation, doi:10.1145/1390334.1390446
-- differs: Equal to ndeval, which stops at 20 documents; where alpha has no exact binary form rounding decides
--    between documents that gain alike, which can change its ideal ranking. pyndeval puts tied documents in
--    ascending order of their names; ir_measures 0.4.3 fails with judged_only.
-- range: 0 inf
-- mean: arithmetic
-- holes: none, which subtopics a hole has is as open as whether it has any
-- scores: no
-- example: diversity alpha_nDCG = 0.8453
-- example: diversity alpha_nDCG@3 = 0.8126
with dcgs as (
    select
        evaluation_id,
        cutoffs.last_rank,
        fsum(gain / log2(rank + 1)) as total
    from novel_gains(alpha := $alpha, rel := $rel, judged_only := $judged_only, k := $k, ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
),
ideal_dcgs as (
    select
        qrels_id,
        topic_id,
        cutoffs.last_rank,
        fsum(gain / log2(rank + 1)) as total
    from ideal_novel_gains(alpha := $alpha, rel := $rel, k := $k)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by qrels_id, topic_id, cutoffs.last_rank
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

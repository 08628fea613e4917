-- measure: alpha_DCG
-- title: Discounted cumulative gain that rewards novelty, against every document being relevant to all subtopics
-- aliases: alpha-DCG
-- parameters: k, alpha, rel, judged_only, ties
-- definition: A document gains (1 - alpha)^n for each subtopic it is relevant to, n being how many documents
--    above it are relevant to that one. The sum of gain / log2(rank + 1) over the first k, divided by that of k
--    documents relevant to all subtopics each; without a cutoff by what that sum tends to, so that alpha = 0
--    gives 0. Subtopics are the iterations of the topic's judgments in which a document is relevant; 0 where
--    there are none.
-- reference: Clarke, Kolla, Cormack, Vechtomova, Ashkan, Buettcher and MacKinnon 2008, Novelty and diversity in
--    information retrieval evaluation, doi:10.1145/1390334.1390446
-- differs: ndeval does not divide at cutoff 1, where it gives the number of subtopics that the first document
--    has, and stops at 20 documents; else equal to it. pyndeval puts tied documents in ascending order of their
--    names; ir_measures 0.4.3 fails with judged_only.
-- range: 0 1
-- mean: arithmetic
-- holes: none, which subtopics a hole has is as open as whether it has any
-- scores: no
-- example: diversity alpha_DCG@3 = 0.5289
with dcgs as (
    select
        evaluation_id,
        cutoffs.last_rank,
        fsum(gain / log2(rank + 1)) as total
    from novel_gains(alpha := $alpha, rel := $rel, judged_only := $judged_only, k := $k, ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
),
perfect as (
    select
        last_rank,
        fsum(pow(1 - $alpha, rank - 1) / log2(rank + 1)) as total
    from ranks_to_k(alpha := $alpha, k := $k)
    group by last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(dcgs.total / (subtopic_counts.num_subtopics * perfect.total), 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join perfect using (last_rank)
left join subtopic_counts(rel := $rel) as subtopic_counts using (qrels_id, topic_id)
left join dcgs using (evaluation_id, last_rank)

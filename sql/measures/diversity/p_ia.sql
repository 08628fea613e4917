-- measure: P_IA
-- title: Intent-aware precision at a cutoff
-- aliases: P-IA
-- parameters: k = 10, rel, judged_only, ties
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                     the worst, the best or what is expected over all orders
-- definition: Precision at k by the judgments of each subtopic, and the mean over subtopics. A ranking shorter
--    than k is still divided by k. Subtopics are the iterations of the topic's judgments in which a document is
--    relevant; 0 where there are none.
-- reference: Agrawal, Gollapudi, Halverson and Ieong 2009, Diversifying search results,
--    doi:10.1145/1498759.1498766
-- differs: Equal to ndeval, which stops at 20 documents. Without a cutoff this divides by the number retrieved,
--    as P; ir_measures demands a cutoff. pyndeval puts tied documents in ascending order of their names;
--    ir_measures 0.4.3 fails with judged_only. P_groups counts groups without a relevant document too.
-- range: 0 1
-- mean: arithmetic
-- holes: none, which subtopics a hole has is as open as whether it has any
-- scores: no
-- example: diversity P_IA@2 = 0.3333
with found as (
    select
        evaluation_id,
        cutoffs.last_rank,
        sum(share) as num_rel_ret
    from subtopic_ranks(rel := $rel, judged_only := $judged_only, ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(
        found.num_rel_ret
            / coalesce(cutoffs.k, retrieved_counts.num_ret)
            / subtopic_counts.num_subtopics,
        0
    ) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join subtopic_counts(rel := $rel) as subtopic_counts using (qrels_id, topic_id)
left join retrieved_counts(judged_only := $judged_only) as retrieved_counts using (evaluation_id)
left join found using (evaluation_id, last_rank)

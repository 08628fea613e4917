-- measure: StRecall
-- title: Subtopic recall
-- aliases: strec, S-recall, I-rec
-- ties: expected = expected_st_recall
-- parameters: k, rel, ties
-- columns:
--   num_found       subtopics to which one of the first k documents is relevant
--   num_subtopics   subtopics of the topic
-- definition: Subtopics to which a document among the first k is relevant, divided by the number of subtopics.
--    Subtopics are the iterations of the topic's judgments in which a document is relevant; 0 where there are
--    none.
-- reference: Zhai, Cohen and Lafferty 2003, Beyond independent relevance, doi:10.1145/860435.860440
-- differs: Equal to ndeval, which stops at 20 documents. pyndeval puts tied documents in ascending order of
--    their names.
-- range: 0 1
-- mean: arithmetic
-- holes: none, which subtopics a hole has is as open as whether it has any
-- scores: no
-- example: diversity StRecall@1 = 0.4167
with found as (
    select
        evaluation_id,
        cutoffs.last_rank,
        cast(count(distinct subtopic) as double) as num_found
    from subtopic_ranks(rel := $rel)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(found.num_found / subtopic_counts.num_subtopics, 0) as value,
    coalesce(found.num_found, 0) as num_found,
    coalesce(subtopic_counts.num_subtopics, 0) as num_subtopics
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join subtopic_counts(rel := $rel) as subtopic_counts using (qrels_id, topic_id)
left join found using (evaluation_id, last_rank)

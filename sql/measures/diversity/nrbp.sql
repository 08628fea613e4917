-- measure: NRBP
-- title: Novelty- and rank-biased precision
-- parameters: alpha, beta, rel, ties
--   beta double in (0, 1) = 0.5     how likely the reader goes on to the next document
-- definition: A document gains (1 - alpha)^n for each subtopic it is relevant to, n being how many documents
--    above it are relevant to that one. The sum of gain * beta^(rank - 1), times 1 - (1 - alpha) beta, divided
--    by the number of subtopics. Subtopics are the iterations of the topic's judgments in which a document is
--    relevant; 0 where there are none.
-- reference: Clarke, Kolla and Vechtomova 2009, An effectiveness measure for ambiguous and underspecified
--    queries, doi:10.1007/978-3-642-04417-5_17
-- differs: Nothing known; equal to ndeval but for ties: pyndeval puts tied documents in ascending order of
--    their names.
-- range: 0 1
-- mean: arithmetic
-- holes: none, which subtopics a hole has is as open as whether it has any
-- scores: no
-- example: diversity NRBP = 0.4785
with sums as (
    select
        evaluation_id,
        fsum(gain * pow($beta, rank - 1)) as total
    from novel_gains(alpha := $alpha, rel := $rel, ties := $ties)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce((1 - (1 - $alpha) * $beta) * sums.total / subtopic_counts.num_subtopics, 0) as value
from evaluated_topics
left join subtopic_counts(rel := $rel) as subtopic_counts using (qrels_id, topic_id)
left join sums using (evaluation_id)

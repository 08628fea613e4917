-- measure: nNRBP
-- title: Novelty- and rank-biased precision, normalised by the ideal ranking
-- parameters: alpha, beta, rel, ties
--   beta double in (0, 1) = 0.5     how likely the reader goes on to the next document
-- definition: A document gains (1 - alpha)^n for each subtopic it is relevant to, n being how many documents
--    above it are relevant to that one. The sum of gain * beta^(rank - 1), divided by that of the ideal
--    ranking, which puts next what gains most, of documents that gain alike the one whose name comes last.
--    Subtopics are the iterations of the topic's judgments in which a document is relevant; 0 where there are
--    none. Above 1 where a ranking does better than that choice, which is not always the best.
-- reference: Clarke, Kolla and Vechtomova 2009, An effectiveness measure for ambiguous and underspecified
--    queries, doi:10.1007/978-3-642-04417-5_17
-- differs: ndeval gives NaN for a topic without a relevant document, and where alpha has no exact binary form
--    rounding decides between documents that gain alike, which can change its ideal ranking; else equal to it.
--    pyndeval puts tied documents in ascending order of their names.
-- range: 0 inf
-- mean: arithmetic
-- holes: none, which subtopics a hole has is as open as whether it has any
-- scores: no
-- example: diversity nNRBP = 0.7787
with sums as (
    select
        evaluation_id,
        fsum(gain * pow($beta, rank - 1)) as total
    from novel_gains(alpha := $alpha, rel := $rel, ties := $ties)
    group by evaluation_id
),
ideal_sums as (
    select
        qrels_id,
        topic_id,
        fsum(gain * pow($beta, rank - 1)) as total
    from ideal_novel_gains(alpha := $alpha, rel := $rel)
    group by qrels_id, topic_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(sums.total / nullif(ideal_sums.total, 0), 0) as value
from evaluated_topics
left join sums using (evaluation_id)
left join ideal_sums using (qrels_id, topic_id)

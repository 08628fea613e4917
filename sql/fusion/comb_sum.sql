-- title: CombSUM: the weighted sum of scores
-- parameters: runs, weights, norm
-- columns: topic, document, score
-- definition: Sum over the runs of weight times score; 0 for a run that did not retrieve the document.
-- reference: Fox and Shaw 1993, Combination of multiple searches, TREC-2
with fused as (
    select
        topic_id,
        document_id,
        sum(weight * score order by place) as score
    from comparable_scores(runs := $runs, weights := $weights, norm := $norm)
    group by topic_id, document_id
)
select
    topics.topic,
    documents.document,
    fused.score
from fused
join topics on topics.topic_id = fused.topic_id
join documents on documents.document_id = fused.document_id

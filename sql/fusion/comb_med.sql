-- title: CombMED: the median score
-- parameters: runs, norm
-- columns: topic, document, score
-- definition: Median of the scores, the mean of the middle two where their number is even. Runs that did not retrieve
--     the document do not count.
-- reference: Fox and Shaw 1993, Combination of multiple searches, TREC-2
with fused as (
    select
        topic_id,
        document_id,
        median(score) as score
    from comparable_scores(runs := $runs, norm := $norm)
    group by topic_id, document_id
)
select
    topics.topic,
    documents.document,
    fused.score
from fused
join topics on topics.topic_id = fused.topic_id
join documents on documents.document_id = fused.document_id

-- title: CombMIN: the least score
-- parameters: runs, norm
-- columns: topic, document, score
-- definition: Least of the scores. Runs that did not retrieve the document do not count.
-- reference: Fox and Shaw 1993, Combination of multiple searches, TREC-2
with fused as (
    select
        topic_id,
        document_id,
        min(score) as score
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

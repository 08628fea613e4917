-- title: CombMNZ: the sum of scores, times how many runs retrieved the document
-- parameters: runs, weights, norm
-- columns: topic, document, score
-- definition: Sum of the scores, times the sum of the weights of the runs that retrieved the document.
-- reference: Fox and Shaw 1993, Combination of multiple searches, TREC-2; with weights Wu and Crestani 2002,
--     doi:10.1145/584792.584908
with fused as (
    select
        topic_id,
        document_id,
        sum(score order by place) * sum(weight order by place) as score
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

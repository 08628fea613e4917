-- title: Borda's count
-- parameters: runs, weights
-- columns: topic, document, score
-- definition: Sum over all runs of weight times points: of c documents that any run retrieved for the topic the first
--     has c points, the next c - 1, and so on; those that the run did not retrieve share the points left over equally.
-- reference: Aslam and Montague 2001, Models for metasearch, doi:10.1145/383952.384007
with fused as (
    select
        topic_id,
        document_id,
        sum(weight * points order by place) as score
    from borda_points(runs := $runs, weights := $weights)
    group by topic_id, document_id
)
select
    topics.topic,
    documents.document,
    fused.score
from fused
join topics on topics.topic_id = fused.topic_id
join documents on documents.document_id = fused.document_id

-- title: Reciprocal rank fusion
-- parameters: runs, weights, k
--   k double in [0, inf) = 60   the greater, the less the first ranks stand out
-- columns: topic, document, score
-- definition: Sum over the runs that retrieved the document of weight / (k + rank).
-- reference: Cormack, Clarke and Büttcher 2009, doi:10.1145/1571941.1572114; the paper has no weights
with fused as (
    select
        topic_id,
        document_id,
        sum(weight / ($k + rank) order by place) as score
    from fused_ranks(runs := $runs, weights := $weights)
    group by topic_id, document_id
)
select
    topics.topic,
    documents.document,
    fused.score
from fused
join topics on topics.topic_id = fused.topic_id
join documents on documents.document_id = fused.document_id

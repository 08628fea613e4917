-- title: Inverse square rank
-- parameters: runs
-- columns: topic, document, score
-- definition: Sum over the runs that retrieved the document of 1 / rank^2, times the number of those runs.
-- reference: Mourão, Martins and Magalhães 2015, Multimodal medical information retrieval with unsupervised rank
--     fusion, doi:10.1016/j.compmedimag.2014.05.006
with fused as (
    select
        topic_id,
        document_id,
        sum(1 / pow(rank, 2) order by place) * count(*) as score
    from fused_ranks(runs := $runs)
    group by topic_id, document_id
)
select
    topics.topic,
    documents.document,
    fused.score
from fused
join topics on topics.topic_id = fused.topic_id
join documents on documents.document_id = fused.document_id

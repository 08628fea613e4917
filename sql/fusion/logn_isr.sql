-- title: Logarithmic inverse square rank with an offset
-- parameters: runs, sigma
--   sigma double in (0, inf) = 0.01   above 0, so that documents of one run are told apart too
-- columns: topic, document, score
-- definition: Sum over the runs that retrieved the document of 1 / rank^2, times the logarithm of the number of those
--     runs and sigma.
-- reference: Mourão, Martins and Magalhães 2015, Multimodal medical information retrieval with unsupervised rank
--     fusion, doi:10.1016/j.compmedimag.2014.05.006
with found as (
    select
        topic_id,
        document_id,
        sum(1 / pow(rank, 2) order by place) as total,
        count(*) as num_runs
    from fused_ranks(runs := $runs)
    group by topic_id, document_id
),
fused as (
    select
        topic_id,
        document_id,
        total * ln(num_runs + $sigma) as score
    from found
)
select
    topics.topic,
    documents.document,
    fused.score
from fused
join topics on topics.topic_id = fused.topic_id
join documents on documents.document_id = fused.document_id

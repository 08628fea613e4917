-- title: Inverse square rank
-- parameters: runs
-- columns: topic, document, score
-- definition: Sum over the runs that retrieved the document of 1 / rank^2, times the number of those runs.
-- reference: Mourão, Martins and Magalhães 2015, Multimodal medical information retrieval with unsupervised rank
--     fusion, doi:10.1016/j.compmedimag.2014.05.006
select
    topics.topic,
    documents.document,
    sum(1 / pow(ranks.rank, 2) order by ranks.place) * count(*) as score
from fused_ranks(runs := $runs) as ranks
join topics using (topic_id)
join documents on documents.document_id = ranks.document_id
group by topics.topic, documents.document

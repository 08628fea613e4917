-- title: Rank-biased centroid
-- parameters: runs, weights, phi
--   phi double in (0, 1) = 0.8   how likely the reader goes on to the next document
-- columns: topic, document, score
-- definition: Sum over the runs that retrieved the document of weight (1 - phi) phi^(rank - 1).
-- reference: Bailey, Moffat, Scholer and Thomas 2017, doi:10.1145/3077136.3080839; the paper has no weights
with fused as (
    select
        topic_id,
        document_id,
        sum(weight * (1 - $phi) * pow($phi, rank - 1) order by place) as score
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

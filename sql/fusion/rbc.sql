-- title: Rank-biased centroid
-- parameters: runs, weights, phi
--   phi double in (0, 1) = 0.8   how likely the reader goes on to the next document
-- columns: topic, document, score
-- definition: Sum over the runs that retrieved the document of weight (1 - phi) phi^(rank - 1).
-- reference: Bailey, Moffat, Scholer and Thomas 2017, doi:10.1145/3077136.3080839; the paper has no weights
select
    topics.topic,
    documents.document,
    sum(ranks.weight * (1 - $phi) * pow($phi, ranks.rank - 1) order by ranks.place) as score
from fused_ranks(runs := $runs, weights := $weights) as ranks
join topics using (topic_id)
join documents on documents.document_id = ranks.document_id
group by topics.topic, documents.document

-- title: Reciprocal rank fusion
-- parameters: runs, weights, k
--   k double in [0, inf) = 60   the greater, the less the first ranks stand out
-- columns: topic, document, score
-- definition: Sum over the runs that retrieved the document of weight / (k + rank).
-- reference: Cormack, Clarke and Büttcher 2009, doi:10.1145/1571941.1572114; the paper has no weights
select
    topics.topic,
    documents.document,
    sum(ranks.weight / ($k + ranks.rank) order by ranks.place) as score
from fused_ranks(runs := $runs, weights := $weights) as ranks
join topics using (topic_id)
join documents on documents.document_id = ranks.document_id
group by topics.topic, documents.document

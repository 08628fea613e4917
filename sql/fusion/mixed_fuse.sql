-- title: Mixed fusion: the weighted sum of scores, times the root of how many runs retrieved the document
-- parameters: runs, weights, norm
-- columns: topic, document, score
-- definition: Sum of weight times score, times the square root of the number of runs that retrieved the document.
-- reference: Wu and Crestani 2002, Data fusion with estimated weights, doi:10.1145/584792.584908
select
    topics.topic,
    documents.document,
    sum(found.weight * found.score order by found.place) * sqrt(count(*)) as score
from comparable_scores(runs := $runs, weights := $weights, norm := $norm) as found
join topics using (topic_id)
join documents on documents.document_id = found.document_id
group by topics.topic, documents.document

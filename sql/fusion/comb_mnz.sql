-- title: CombMNZ: the sum of scores, times how many runs retrieved the document
-- parameters: runs, weights, norm
-- columns: topic, document, score
-- definition: Sum of the scores, times the sum of the weights of the runs that retrieved the document.
-- reference: Fox and Shaw 1993, Combination of multiple searches, TREC-2; with weights Wu and Crestani 2002,
--     doi:10.1145/584792.584908
select
    topics.topic,
    documents.document,
    sum(found.score order by found.place) * sum(found.weight order by found.place) as score
from comparable_scores(runs := $runs, weights := $weights, norm := $norm) as found
join topics using (topic_id)
join documents on documents.document_id = found.document_id
group by topics.topic, documents.document

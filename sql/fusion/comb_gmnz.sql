-- title: CombGMNZ: the sum of scores, times a power of how many runs retrieved the document
-- parameters: runs, norm, gamma
--   gamma double in [0, inf) = 1   power of the number of runs
-- columns: topic, document, score
-- definition: Sum of the scores, times the number of runs that retrieved the document to the power of gamma: 0 is
--     CombSUM, 1 CombMNZ.
-- reference: Lee 1997, Analyses of multiple evidence combination, doi:10.1145/258525.258587
select
    topics.topic,
    documents.document,
    sum(found.score order by found.place) * pow(count(*), $gamma) as score
from comparable_scores(runs := $runs, norm := $norm) as found
join topics using (topic_id)
join documents on documents.document_id = found.document_id
group by topics.topic, documents.document

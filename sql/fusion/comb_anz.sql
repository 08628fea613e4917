-- title: CombANZ: the mean score over the runs that retrieved the document
-- parameters: runs, norm
-- columns: topic, document, score
-- definition: Sum of the scores, divided by the number of runs that retrieved the document.
-- reference: Fox and Shaw 1993, Combination of multiple searches, TREC-2
select
    topics.topic,
    documents.document,
    sum(found.score order by found.place) / count(*) as score
from comparable_scores(runs := $runs, norm := $norm) as found
join topics using (topic_id)
join documents on documents.document_id = found.document_id
group by topics.topic, documents.document

-- title: CombMAX: the greatest score
-- parameters: runs, norm
-- columns: topic, document, score
-- definition: Greatest of the scores. Runs that did not retrieve the document do not count.
-- reference: Fox and Shaw 1993, Combination of multiple searches, TREC-2
select
    topics.topic,
    documents.document,
    max(found.score) as score
from comparable_scores(runs := $runs, norm := $norm) as found
join topics using (topic_id)
join documents on documents.document_id = found.document_id
group by topics.topic, documents.document

-- title: CombSUM: the weighted sum of scores
-- parameters: runs, weights, norm
-- columns: topic, document, score
-- definition: Sum over the runs of weight times score; 0 for a run that did not retrieve the document.
-- reference: Fox and Shaw 1993, Combination of multiple searches, TREC-2
select
    topics.topic,
    documents.document,
    sum(found.weight * found.score order by found.place) as score
from comparable_scores(runs := $runs, weights := $weights, norm := $norm) as found
join topics using (topic_id)
join documents on documents.document_id = found.document_id
group by topics.topic, documents.document

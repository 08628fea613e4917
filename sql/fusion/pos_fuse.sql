-- title: PosFuse: how often the documents at that rank are relevant
-- parameters: runs, qrels, folds, rel
-- columns: topic, document, score
-- definition: Sum over the runs of the share of their topics with a document at that rank for which it is relevant; 0
--     for ranks never met. What the runs are worth is learnt from the judged topics of the other folds.
-- reference: Lillis, Zhang, Toolan, Collier, Leonard and Dunnion 2010, Estimating probabilities for effective data
--     fusion, doi:10.1145/1835449.1835508
select
    topics.topic,
    documents.document,
    sum(learnt.probability order by learnt.place) as score
from rank_probabilities(runs := $runs, qrels := $qrels, folds := $folds, rel := $rel) as learnt
join topics using (topic_id)
join documents on documents.document_id = learnt.document_id
group by topics.topic, documents.document

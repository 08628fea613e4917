-- title: MAPFuse: reciprocal ranks, weighted by the mean average precision of each run
-- parameters: runs, qrels, folds, rel
-- columns: topic, document, score
-- definition: Sum over the runs that retrieved the document of their mean AP, divided by the rank. What the runs are
--     worth is learnt from the judged topics of the other folds.
-- reference: Lillis, Zhang, Toolan, Collier, Leonard and Dunnion 2010, Estimating probabilities for effective data
--     fusion, doi:10.1145/1835449.1835508
with learnt as (
    select
        training.fold,
        listed.place,
        avg(ap.value) as mean_ap
    from training_topics(qrels := $qrels, folds := $folds) as training
    join topics using (topic_id)
    join ap(rel := $rel) as ap
        on ap.qrels = $qrels
        and ap.topic = topics.topic
    join known_runs(runs := $runs) as listed on listed.run = ap.run
    group by training.fold, listed.place
)
select
    topics.topic,
    documents.document,
    sum(coalesce(learnt.mean_ap, 0) / ranks.rank order by ranks.place) as score
from fused_ranks(runs := $runs) as ranks
left join topic_folds(qrels := $qrels, folds := $folds) as parts using (topic_id)
left join learnt
    on learnt.fold = coalesce(parts.fold, 0)
    and learnt.place = ranks.place
join topics using (topic_id)
join documents on documents.document_id = ranks.document_id
group by topics.topic, documents.document

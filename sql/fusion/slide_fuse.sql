-- title: SlideFuse: how often the documents around that rank are relevant
-- parameters: runs, qrels, w, folds, rel
--   w integer in [0, inf) = 5   ranks to either side that count as well
-- columns: topic, document, score
-- definition: As pos_fuse, with the mean of the shares from w ranks above to w below, as far as the ranking goes.
--     What the runs are worth is learnt from the judged topics of the other folds.
-- reference: Lillis, Toolan, Collier and Dunnion 2008, Extending probabilistic data fusion using sliding windows,
--     doi:10.1007/978-3-540-78646-7_33
with scored as (
    select
        place,
        topic_id,
        document_id,
        avg(probability) over (
            partition by place, topic_id
            order by rank
            rows between $w preceding and $w following
        ) as score
    from rank_probabilities(runs := $runs, qrels := $qrels, folds := $folds, rel := $rel)
)
select
    topics.topic,
    documents.document,
    sum(scored.score order by scored.place) as score
from scored
join topics using (topic_id)
join documents on documents.document_id = scored.document_id
group by topics.topic, documents.document

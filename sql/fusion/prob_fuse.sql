-- title: ProbFuse: how often the documents of that part of the ranking are relevant
-- parameters: runs, qrels, segments, folds, rel
--   segments integer in [1, inf) = 25   parts of each ranking, of the same length but for the last ones
-- columns: topic, document, score
-- definition: Each ranking is cut into segments. Sum over the runs of the mean precision within the segment over all
--     topics, divided by the segment's number. What the runs are worth is learnt from the judged topics of the other
--     folds.
-- reference: Lillis, Toolan, Collier and Dunnion 2006, ProbFuse: a probabilistic approach to data fusion,
--     doi:10.1145/1148170.1148197
with seen as (
    select
        fold,
        place,
        topic_id,
        num_topics,
        floor((rank - 1) / ceil(num_ret / cast($segments as double))) + 1 as segment,
        hit
    from training_hits(runs := $runs, qrels := $qrels, folds := $folds, rel := $rel)
),
precisions as (
    select
        fold,
        place,
        topic_id,
        segment,
        avg(hit) as precision,
        max(num_topics) as num_topics
    from seen
    group by fold, place, topic_id, segment
),
learnt as (
    select
        fold,
        place,
        segment,
        sum(precision order by topic_id) / max(num_topics) as probability
    from precisions
    group by fold, place, segment
)
select
    topics.topic,
    documents.document,
    sum(coalesce(learnt.probability / learnt.segment, 0) order by ranks.place) as score
from fused_ranks(runs := $runs) as ranks
join run_topics using (run_id, topic_id)
left join topic_folds(qrels := $qrels, folds := $folds) as parts using (topic_id)
left join learnt
    on learnt.fold = coalesce(parts.fold, 0)
    and learnt.place = ranks.place
    and learnt.segment = floor((ranks.rank - 1) / ceil(run_topics.num_ret / cast($segments as double))) + 1
join topics using (topic_id)
join documents on documents.document_id = ranks.document_id
group by topics.topic, documents.document

-- title: SegFuse: scores, times how often the documents of that part of the ranking are relevant
-- parameters: runs, norm, qrels, folds, rel
-- columns: topic, document, score
-- definition: Sum over the runs of (score + 1) times the mean precision over all topics within the segment. Segments
--     end at ranks 5, 15, 35, 75, ..., 10 2^(s - 1) - 5. What the runs are worth is learnt from the judged topics of
--     the other folds.
-- reference: Shokouhi 2007, Segmentation of search engine results for effective data-fusion,
--     doi:10.1007/978-3-540-71496-5_19
with segments as (
    select
        segment,
        case when segment = 1 then 1 else 10 * pow(2, segment - 2) - 4 end as first_rank,
        10 * pow(2, segment - 1) - 5 as last_rank
    from (values (1), (2), (3), (4), (5), (6), (7), (8), (9), (10)) as listed(segment)
),
learnt as (
    select
        seen.fold,
        seen.place,
        segments.first_rank,
        segments.last_rank,
        sum(seen.hit) / (segments.last_rank - segments.first_rank + 1) / max(seen.num_topics) as probability
    from training_hits(runs := $runs, qrels := $qrels, folds := $folds, rel := $rel) as seen
    join segments on seen.rank between segments.first_rank and segments.last_rank
    group by seen.fold, seen.place, segments.first_rank, segments.last_rank
)
select
    topics.topic,
    documents.document,
    sum(coalesce(learnt.probability, 0) * (scores.score + 1) order by ranks.place) as score
from fused_ranks(runs := $runs) as ranks
left join topic_folds(qrels := $qrels, folds := $folds) as parts using (topic_id)
left join learnt
    on learnt.fold = coalesce(parts.fold, 0)
    and learnt.place = ranks.place
    and ranks.rank between learnt.first_rank and learnt.last_rank
join comparable_scores(runs := $runs, norm := $norm) as scores
    on scores.place = ranks.place
    and scores.topic_id = ranks.topic_id
    and scores.document_id = ranks.document_id
join topics on topics.topic_id = ranks.topic_id
join documents on documents.document_id = ranks.document_id
group by topics.topic, documents.document

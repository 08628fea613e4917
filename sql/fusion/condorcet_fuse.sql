-- title: Condorcet fusion: how many documents a majority of the runs puts below
-- parameters: runs, weights, depth
--   depth integer in [1, inf) = null   documents taken of each run for a topic: all pairs are compared; null is all
-- columns: topic, document, score
-- definition: 1 and the number of documents of the topic that the runs, by weight, put below the document more often
--     than above it; a document that is as often below as above counts half. A run puts what it retrieved above what
--     it did not, and says nothing of two documents that it did not retrieve.
-- reference: Montague and Aslam 2002, Condorcet fusion for improved retrieval, doi:10.1145/584792.584881; Copeland
--     1951 for the count of pairs won
-- differs: Montague and Aslam sort by comparisons, as ranx does: where majorities run in a circle their order hangs
--     on that in which documents are looked at, and ranx's changes from one process to the next. Without a circle or
--     an even pair the scores are those of ranx.
with ranks as (
    select
        place,
        weight,
        topic_id,
        document_id,
        rank
    from fused_ranks(runs := $runs, weights := $weights)
    where rank <= coalesce($depth, rank)
),
candidates as (
    select
        topic_id,
        document_id
    from ranks
    group by topic_id, document_id
),
ballots as (
    -- All ranks of a document in one list, so that a pair is compared without a row for each run.
    select
        candidates.topic_id,
        candidates.document_id,
        list(coalesce(ranks.rank, 2147483647) order by places.place) as ranks
    from candidates
    cross join known_runs(runs := $runs, weights := $weights) as places
    left join ranks using (topic_id, document_id, place)
    group by candidates.topic_id, candidates.document_id
),
given_weights as (
    select list(weight order by place) as weights
    from known_runs(runs := $runs, weights := $weights)
),
pairs as (
    select
        ballots.topic_id,
        ballots.document_id,
        list_sum(list_transform(
            given_weights.weights,
            lambda weight, nth: weight * sign(rivals.ranks[nth] - ballots.ranks[nth])
        )) as lead
    from ballots
    join ballots as rivals
        on rivals.topic_id = ballots.topic_id
        and rivals.document_id <> ballots.document_id
    cross join given_weights
),
won as (
    select
        topic_id,
        document_id,
        count(case when lead > 0 then 1 end) as num_won,
        count(case when lead = 0 then 1 end) as num_even
    from pairs
    group by topic_id, document_id
)
select
    topics.topic,
    documents.document,
    1 + coalesce(won.num_won, 0) + coalesce(won.num_even, 0) / cast(2 as double) as score
from ballots
left join won using (topic_id, document_id)
join topics using (topic_id)
join documents on documents.document_id = ballots.document_id

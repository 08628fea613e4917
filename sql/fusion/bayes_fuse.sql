-- title: BayesFuse: the sum of the odds that documents around that rank are relevant
-- parameters: runs, qrels, folds, rel
-- columns: topic, document, score
-- definition: Sum over all runs of ln(p / (1 - p)), p being the mean precision over all topics between the cutoffs 0,
--     5, 10, 15, 20, 30, 100, 200, 500 and 1000; 0.001 in the place of 0 on either side of the fraction, and 0.001 /
--     0.999 for what a run did not retrieve or has beyond rank 1000. What the runs are worth is learnt from the judged
--     topics of the other folds.
-- reference: Aslam and Montague 2001, Models for metasearch, doi:10.1145/383952.384007
with cutoffs as (
    select
        before,
        last_rank
    from (
        values (0, 5), (5, 10), (10, 15), (15, 20), (20, 30), (30, 100), (100, 200), (200, 500), (500, 1000)
    ) as listed(before, last_rank)
),
num_topics as (
    select distinct
        fold,
        num_topics
    from training_topics(qrels := $qrels, folds := $folds)
),
precisions as (
    select
        num_topics.fold,
        listed.place,
        cutoffs.before,
        cutoffs.last_rank,
        coalesce(sum(seen.hit), 0)
            / cast((cutoffs.last_rank - cutoffs.before) * max(num_topics.num_topics) as double) as precision
    from num_topics
    cross join known_runs(runs := $runs) as listed
    cross join cutoffs
    left join training_hits(runs := $runs, qrels := $qrels, folds := $folds, rel := $rel) as seen
        on seen.fold = num_topics.fold
        and seen.place = listed.place
        and seen.rank > cutoffs.before
        and seen.rank <= cutoffs.last_rank
    group by num_topics.fold, listed.place, cutoffs.before, cutoffs.last_rank
),
learnt as (
    select
        fold,
        place,
        before,
        last_rank,
        ln(
            case when precision = 0 then 0.001 else precision end
            / case
                when precision = 0 then 0.999
                when precision = 1 then 0.001
                else 1 - precision
            end
        ) - ln(0.001 / 0.999) as gain
    from precisions
),
num_runs as (
    select count(*) as num_runs
    from known_runs(runs := $runs)
)
-- A gain is what a run adds beyond one that did not retrieve the document.
select
    topics.topic,
    documents.document,
    sum(coalesce(learnt.gain, 0) order by ranks.place) + max(num_runs.num_runs) * ln(0.001 / 0.999) as score
from fused_ranks(runs := $runs) as ranks
left join topic_folds(qrels := $qrels, folds := $folds) as parts using (topic_id)
left join learnt
    on learnt.fold = coalesce(parts.fold, 0)
    and learnt.place = ranks.place
    and ranks.rank > learnt.before
    and ranks.rank <= learnt.last_rank
cross join num_runs
join topics using (topic_id)
join documents on documents.document_id = ranks.document_id
group by topics.topic, documents.document

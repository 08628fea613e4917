-- measure: xinfAP
-- title: Extended inferred average precision, from judgments drawn by strata of the pool
-- parameters: rel
-- columns:
--   num_rel   estimated number of relevant documents of the topic
-- definition: Mean over the relevant documents judged, each weighing N / n with the N documents of its stratum of
--    which n are judged, of what is expected of the precision at their rank k: 1/k + 1/k * sum over the strata of d *
--    (r + e) / (j + 3e), where of the stratum's documents above d are in the pool, j judged and r relevant, and e =
--    0.00001; 0 for one not retrieved. 0 if no relevant document is judged.
-- reference: Yilmaz, Kanoulas and Aslam 2008, A simple and efficient sampling method for estimating AP and NDCG,
--    doi:10.1145/1390334.1390437
-- differs: Equal to NIST's sample_eval.pl (infAP), which reads 1,000 documents of a topic, and averages over the
--    topics that a run has. It has 3e where the paper and infAP have 2e. Judgments that are no sample are one
--    stratum: where all of the pool is judged this is AP but for e, each document above a relevant one changing it by
--    about e. Of a stratum without a judgment a third counts as relevant above, and none elsewhere. Of judgments
--    loaded with probabilities the pool is not known, and this misleads: statAP is for them.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- holes: none, it takes the judgments for a sample and estimates what holes are itself
-- example: samples xinfAP = 0.6389
with counted as (
    select
        evaluation_id,
        rank,
        grade,
        stratum,
        probability,
        count(*) over in_stratum as num_pooled,
        count(case when grade >= 0 then 1 end) over in_stratum as num_judged,
        count(case when grade >= $rel then 1 end) over in_stratum as num_rel
    from sampled_ranks
    window in_stratum as (
        partition by evaluation_id, stratum
        order by rank
        rows between unbounded preceding and current row
    )
),
estimated as (
    -- Relevant documents of the stratum that are expected down to here.
    select
        evaluation_id,
        rank,
        grade,
        stratum,
        probability,
        -- As a double: other engines divide decimals to a few digits.
        num_pooled * (cast(num_rel as double) + 0.00001) / (num_judged + 0.00003) as expected_rel
    from counted
),
additions as (
    select
        evaluation_id,
        rank,
        grade,
        probability,
        expected_rel - coalesce(lag(expected_rel) over in_stratum, 0) as added_rel
    from estimated
    window in_stratum as (
        partition by evaluation_id, stratum
        order by rank
    )
),
precisions as (
    select
        evaluation_id,
        grade,
        probability,
        (
            1 + coalesce(
                sum(added_rel) over (
                    partition by evaluation_id
                    order by rank
                    rows between unbounded preceding and 1 preceding
                ),
                0
            )
        ) / rank as precision
    from additions
),
totals as (
    select
        evaluation_id,
        fsum(precision / probability) as total
    from precisions
    where grade >= $rel
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(totals.total / estimated_counts.num_rel, 0) as value,
    coalesce(estimated_counts.num_rel, 0) as num_rel
from evaluated_topics
left join estimated_counts(rel := $rel) as estimated_counts using (qrels_id, topic_id)
left join totals using (evaluation_id)

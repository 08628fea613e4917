-- measure: infNDCG
-- title: Inferred normalised discounted cumulative gain, from judgments drawn by strata of the pool
-- parameters: k, dcg, gains
-- columns:
--   dcg    estimated DCG of the first k: sum over the strata of d / j times the sum of gain / log2(rank + 1), of whose
--          documents d are among the first k and j of these judged
--   idcg   the same sum over the first k of an ideal ranking, with as many documents of each gain as are estimated
-- definition: DCG / ideal DCG, both estimated; 0 if the ideal is 0. The ideal ranking has for each gain the sum of N
--    / n over the documents judged to have it, rounded to a whole number, each being of a stratum of N documents of
--    which n are judged. Negative grades have gain 0.
-- reference: Yilmaz, Kanoulas and Aslam 2008, A simple and efficient sampling method for estimating AP and NDCG,
--    doi:10.1145/1390334.1390437
-- differs: infNDCG@1000 is equal to NIST's sample_eval.pl, which reads 1,000 documents of a topic, but for ideal
--    rankings of more than 1,000 relevant documents, to which it adds one of each lower grade. It sorts grades as
--    text, so that 10 comes below 2. Where the judgments are no sample this is nDCG, if no grade is negative.
-- range: 0 inf
-- mean: arithmetic
-- scores: no
-- holes: none, it takes the judgments for a sample and estimates what holes are itself
-- example: samples infNDCG = 0.9827
-- example: samples infNDCG@3 = 0.9582
with ideal_dcgs as (
    select
        ideal.qrels_id,
        ideal.topic_id,
        cutoffs.last_rank,
        fsum((ideal.gain - ideal.next_gain) * summed_discounts.total) as total
    from estimated_gains(dcg := $dcg, gains := $gains, rounded := true) as ideal
    cross join cutoffs(k := $k) as cutoffs
    join summed_discounts on summed_discounts.rank = least(ideal.last_rank, cutoffs.last_rank)
    group by ideal.qrels_id, ideal.topic_id, cutoffs.last_rank
),
strata as (
    select
        sampled_ranks.evaluation_id,
        cutoffs.last_rank,
        sampled_ranks.stratum,
        count(*) as num_pooled,
        count(case when sampled_ranks.grade >= 0 then 1 end) as num_judged,
        fsum(
            case when sampled_ranks.grade >= 0 then grade_gains.gain else 0 end / log2(sampled_ranks.rank + 1)
        ) as total
    from sampled_ranks
    join grade_gains(dcg := $dcg, gains := $gains) as grade_gains using (grade)
    join cutoffs(k := $k) as cutoffs on sampled_ranks.rank <= cutoffs.last_rank
    group by sampled_ranks.evaluation_id, cutoffs.last_rank, sampled_ranks.stratum
),
dcgs as (
    select
        evaluation_id,
        last_rank,
        fsum(num_pooled * total / num_judged) as total
    from strata
    where num_judged > 0
    group by evaluation_id, last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(dcgs.total / ideal_dcgs.total, 0) as value,
    coalesce(dcgs.total, 0) as dcg,
    coalesce(ideal_dcgs.total, 0) as idcg
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join dcgs using (evaluation_id, last_rank)
left join ideal_dcgs using (qrels_id, topic_id, last_rank)

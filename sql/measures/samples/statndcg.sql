-- measure: statnDCG
-- title: Normalised discounted cumulative gain estimated from judgments drawn with known probabilities
-- parameters: k, dcg, gains
-- columns:
--   dcg              estimated DCG of the first k: sum of gain / (log2(rank + 1) * probability)
--   idcg             DCG of the first k of an ideal ranking, with as many documents of each gain as are estimated
--   standard_error   standard error of the value, from the sample alone; null where it is not known: no document with
--                    a gain that is judged is retrieved, or of a stratum with several documents but one is judged
-- definition: DCG / ideal DCG, both estimated; 0 if the ideal is 0. The ideal ranking has for each gain the sum of 1
--    / probability over the documents judged to have it; part of a document adds that part of what its rank would
--    add. Negative grades have gain 0. The variance is that of a total over each stratum, or method (see
--    sampled_variance), of what each document adds to the value: (gain / log2(rank + 1) - value * what one more
--    document of its gain adds to the ideal DCG) / ideal DCG.
-- reference: DCG as Aslam and Pavlu 2007, A practical sampling strategy for efficient retrieval evaluation,
--    Northeastern University, estimate precision; the variance by linearisation: Woodruff 1971, A simple method for
--    approximating the variance of a complicated estimate, doi:10.1080/01621459.1971.10482279
-- differs: What statAP_MQ_eval calls nDCG goes by the judged documents alone, whatever their probabilities, and
--    estimates nothing. infNDCG rounds the numbers in the ideal ranking, and takes of a stratum its documents
--    retrieved rather than all of it. Where the judgments are no sample this is nDCG, with the standard error 0. An
--    estimate can lie above 1.
-- range: 0 inf
-- mean: arithmetic
-- scores: no
-- holes: none, it takes the judgments for a sample and estimates what holes are itself
-- example: samples statnDCG = 0.8423
-- example: samples statnDCG@3 = 0.9582
with ideal_steps as (
    -- The ideal DCG is the sum over the gains of their height above the next one times the discounts down to their last
    -- rank; the part of a rank that is left over counts as that part.
    select
        ideal.qrels_id,
        ideal.topic_id,
        cutoffs.last_rank,
        ideal.gain,
        (ideal.gain - ideal.next_gain) * (
            summed_discounts.total + case
                when ideal.last_rank < cutoffs.last_rank
                then (ideal.last_rank - floor(ideal.last_rank)) / log2(floor(ideal.last_rank) + 2)
                else 0
            end
        ) as total,
        case
            when ideal.last_rank < cutoffs.last_rank
            then (ideal.gain - ideal.next_gain) / log2(floor(ideal.last_rank) + 2)
            else 0
        end as added_by_one
    from estimated_gains(dcg := $dcg, gains := $gains) as ideal
    cross join cutoffs(k := $k) as cutoffs
    join summed_discounts on summed_discounts.rank = floor(least(ideal.last_rank, cutoffs.last_rank))
),
ideal_dcgs as (
    select
        qrels_id,
        topic_id,
        last_rank,
        fsum(total) as total
    from ideal_steps
    group by qrels_id, topic_id, last_rank
),
ideal_additions as (
    -- One more document of a gain moves the last ranks of it and of all lower ones.
    select
        qrels_id,
        topic_id,
        last_rank,
        gain,
        sum(added_by_one) over (
            partition by qrels_id, topic_id, last_rank
            order by gain
            rows between unbounded preceding and current row
        ) as added
    from ideal_steps
),
gained as (
    select
        sampled_ranks.evaluation_id,
        sampled_ranks.document_id,
        cutoffs.last_rank,
        sampled_ranks.probability,
        grade_gains.gain / log2(sampled_ranks.rank + 1) as discounted_gain
    from sampled_ranks
    join grade_gains(dcg := $dcg, gains := $gains) as grade_gains using (grade)
    join cutoffs(k := $k) as cutoffs on sampled_ranks.rank <= cutoffs.last_rank
    where
        sampled_ranks.grade >= 0
        and grade_gains.gain <> 0
),
dcgs as (
    select
        evaluation_id,
        last_rank,
        fsum(discounted_gain / probability) as total
    from gained
    group by evaluation_id, last_rank
),
estimates as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        evaluated_topics.qrels_id as qrels_id,
        evaluated_topics.topic_id as topic_id,
        ideal_dcgs.last_rank as last_rank,
        coalesce(dcgs.total, 0) / ideal_dcgs.total as value,
        ideal_dcgs.total as ideal_total
    from evaluated_topics
    join ideal_dcgs using (qrels_id, topic_id)
    left join dcgs using (evaluation_id, last_rank)
),
additions as (
    -- What each judged document with a gain adds, retrieved or not; other documents add nothing.
    select
        estimates.evaluation_id,
        estimates.last_rank,
        sampled_documents.stratum,
        sampled_documents.probability,
        (coalesce(gained.discounted_gain, 0) - estimates.value * coalesce(ideal_additions.added, 0))
        / (estimates.ideal_total * sampled_documents.probability) as added
    from estimates
    join sampled_documents
        on sampled_documents.qrels_id = estimates.qrels_id
        and sampled_documents.topic_id = estimates.topic_id
        and sampled_documents.grade >= 0
        and sampled_documents.probability < 1
    join grade_gains(dcg := $dcg, gains := $gains) as grade_gains
        on grade_gains.grade = sampled_documents.grade
        and grade_gains.gain <> 0
    left join ideal_additions
        on ideal_additions.qrels_id = estimates.qrels_id
        and ideal_additions.topic_id = estimates.topic_id
        and ideal_additions.last_rank = estimates.last_rank
        and ideal_additions.gain = grade_gains.gain
    left join gained
        on gained.evaluation_id = estimates.evaluation_id
        and gained.document_id = sampled_documents.document_id
        and gained.last_rank = estimates.last_rank
),
added as (
    select
        evaluation_id,
        last_rank,
        stratum,
        fsum((1 - probability) * added) as total,
        fsum((1 - probability) * added * added) as total_of_squares
    from additions
    group by evaluation_id, last_rank, stratum
),
variances as (
    select
        estimates.evaluation_id,
        estimates.last_rank,
        sampled_variance(
            sampled_strata.drawn,
            sampled_strata.weights,
            coalesce(added.total, 0),
            coalesce(added.total_of_squares, 0)
        ) as variance
    from estimates
    join sampled_strata using (qrels_id, topic_id)
    left join added using (evaluation_id, last_rank, stratum)
),
errors as (
    select
        evaluation_id,
        last_rank,
        case when count(variance) = count(*) then sqrt(fsum(variance)) end as standard_error
    from variances
    group by evaluation_id, last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(estimates.value, 0) as value,
    coalesce(dcgs.total, 0) as dcg,
    coalesce(estimates.ideal_total, 0) as idcg,
    case
        when estimates.evaluation_id is not null and errors.evaluation_id is null then 0
        -- Of documents that were drawn the ranking has none that count; those not drawn may count.
        when estimates.value = 0 and evaluated_topics.num_ret > 0 then null
        else errors.standard_error
    end as standard_error
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join dcgs using (evaluation_id, last_rank)
left join estimates using (evaluation_id, last_rank)
left join errors using (evaluation_id, last_rank)

-- measure: statAP
-- title: Average precision estimated from judgments drawn with known probabilities
-- parameters: rel
-- columns:
--   num_rel          estimated number of relevant documents of the topic
--   standard_error   standard error of the value, from the sample alone; null where it is not known: no relevant
--                    document that is judged is retrieved, or of a stratum with several documents but one is judged
-- definition: Sum over the relevant documents retrieved of their estimated precision divided by their probability,
--    divided by the estimated number of relevant documents, the sum of 1 / probability over all that are judged. The
--    precision at rank k is (1 + the sum of 1 / probability over the relevant documents above) / k. 0 if no relevant
--    document is judged. The variance is that of a total over each stratum, or method (see sampled_variance), of what
--    each document adds to the value: (precision + helped - value) / the estimated number, helped being the sum over
--    the relevant documents below of 1 / (rank * probability).
-- reference: Aslam and Pavlu 2007, A practical sampling strategy for efficient retrieval evaluation, Northeastern
--    University; the variance by linearisation: Woodruff 1971, A simple method for approximating the variance of a
--    complicated estimate, doi:10.1080/01621459.1971.10482279
-- differs: The value is equal to that of statAP_MQ_eval, its variance is not: there what a document adds by its own
--    precision and by that of documents below are squared apart, the sum is multiplied by the number judged / (that
--    retrieved + 0.1), and 1 at most. Where the judgments are no sample this is AP, with the standard error 0. An
--    estimate can lie above 1.
-- range: 0 inf
-- mean: arithmetic
-- scores: no
-- holes: none, it takes the judgments for a sample and estimates what holes are itself
-- example: samples statAP = 0.5833
with precisions as (
    select
        evaluation_id,
        document_id,
        probability,
        (
            1 + coalesce(
                sum(1 / probability) over (
                    partition by evaluation_id
                    order by rank
                    rows between unbounded preceding and 1 preceding
                ),
                0
            )
        ) / rank as precision,
        coalesce(
            sum(1 / (rank * probability)) over (
                partition by evaluation_id
                order by rank
                rows between 1 following and unbounded following
            ),
            0
        ) as helped
    from sampled_ranks
    where grade >= $rel
),
totals as (
    select
        evaluation_id,
        fsum(precision / probability) as total
    from precisions
    group by evaluation_id
),
estimates as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        evaluated_topics.qrels_id as qrels_id,
        evaluated_topics.topic_id as topic_id,
        estimated_counts.num_rel as num_rel,
        coalesce(totals.total, 0) / estimated_counts.num_rel as value
    from evaluated_topics
    join estimated_counts(rel := $rel) as estimated_counts using (qrels_id, topic_id)
    left join totals using (evaluation_id)
),
additions as (
    -- What each relevant document that is judged adds, retrieved or not; other documents add nothing.
    select
        estimates.evaluation_id,
        sampled_documents.stratum,
        sampled_documents.probability,
        (coalesce(precisions.precision + precisions.helped, 0) - estimates.value)
        / (estimates.num_rel * sampled_documents.probability) as added
    from estimates
    join sampled_documents
        on sampled_documents.qrels_id = estimates.qrels_id
        and sampled_documents.topic_id = estimates.topic_id
        and sampled_documents.grade >= $rel
        and sampled_documents.probability < 1
    left join precisions using (evaluation_id, document_id)
),
added as (
    select
        evaluation_id,
        stratum,
        fsum((1 - probability) * added) as total,
        fsum((1 - probability) * added * added) as total_of_squares
    from additions
    group by evaluation_id, stratum
),
variances as (
    select
        estimates.evaluation_id,
        sampled_variance(
            sampled_strata.drawn,
            sampled_strata.weights,
            coalesce(added.total, 0),
            coalesce(added.total_of_squares, 0)
        ) as variance
    from estimates
    join sampled_strata using (qrels_id, topic_id)
    left join added using (evaluation_id, stratum)
),
errors as (
    select
        evaluation_id,
        case when count(variance) = count(*) then sqrt(fsum(variance)) end as standard_error
    from variances
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(estimates.value, 0) as value,
    coalesce(estimates.num_rel, 0) as num_rel,
    case
        when estimates.evaluation_id is not null and errors.evaluation_id is null then 0
        -- Of documents that were drawn the ranking has none that count; those not drawn may count.
        when estimates.value = 0 and evaluated_topics.num_ret > 0 then null
        else errors.standard_error
    end as standard_error
from evaluated_topics
left join estimates using (evaluation_id)
left join errors using (evaluation_id)

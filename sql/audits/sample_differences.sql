-- title: Documents of samples whose probability is not one that their judgments can have
-- columns: finding
--   num_rows   1
-- definition: Of judgments in the form strata or probabilities each has one row in judgment_samples, and others have
--    none. A probability lies between 0 and 1, above 0 where the document is judged, and of strata it is the share of
--    the stratum's documents that is judged.
with sampled as (
    select
        judgment_samples.qrels_id,
        judgment_samples.topic_id,
        judgment_samples.document_id,
        judgment_samples.stratum,
        judgment_samples.probability,
        judged_documents.grade,
        cast(
            count(case when judged_documents.grade >= 0 then 1 end) over in_stratum as double
        ) / count(*) over in_stratum as judged_share
    from judgment_samples
    left join judged_documents using (qrels_id, topic_id, document_id)
    window in_stratum as (
        partition by judgment_samples.qrels_id, judgment_samples.topic_id, judgment_samples.stratum
    )
),
different as (
    select
        sampled.qrels_id,
        sampled.topic_id,
        sampled.document_id,
        case
            when qrels.form not in ('strata', 'probabilities')
            then concat('is in a sample, and the judgments are ', qrels.form)
            when sampled.grade is null then 'is in the sample and has no judgment'
            when not sampled.probability between 0 and 1 or (sampled.grade >= 0 and sampled.probability = 0)
            then concat('has the probability ', sampled.probability)
            else concat(
                'has the probability ', sampled.probability, ', and of its stratum ', sampled.stratum, ' the share ',
                sampled.judged_share, ' is judged'
            )
        end as fault
    from sampled
    join qrels using (qrels_id)
    where
        qrels.form not in ('strata', 'probabilities')
        or sampled.grade is null
        or not sampled.probability between 0 and 1
        or (sampled.grade >= 0 and sampled.probability = 0)
        or (qrels.form = 'strata' and abs(sampled.probability - sampled.judged_share) > 1e-12)
    union all
    select
        judged_documents.qrels_id,
        judged_documents.topic_id,
        judged_documents.document_id,
        'has a judgment and is not in the sample' as fault
    from judged_documents
    join qrels
        on qrels.qrels_id = judged_documents.qrels_id
        and qrels.form in ('strata', 'probabilities')
    left join judgment_samples
        on judgment_samples.qrels_id = judged_documents.qrels_id
        and judgment_samples.topic_id = judged_documents.topic_id
        and judgment_samples.document_id = judged_documents.document_id
    where judgment_samples.document_id is null
)
select
    concat(
        'judgments ', qrels.qrels,
        ', topic ', coalesce(topics.topic, concat('#', different.topic_id)),
        ': document ', coalesce(documents.document, concat('#', different.document_id)), ' ', different.fault
    ) as finding,
    cast(1 as bigint) as num_rows
from different
join qrels using (qrels_id)
left join topics on topics.topic_id = different.topic_id
left join documents on documents.document_id = different.document_id

-- title: Evaluations whose judged documents are not those of ranking and judgments
-- columns: finding
--   num_rows   documents that differ
-- definition: judged_ranks has the documents that both the ranking and judged_documents have, each once, with
--    its rank, its ties and its grade as they have them.
with last_of_ties as (
    select
        run_id,
        topic_id,
        first_rank,
        max(rank) as last_rank
    from retrieved
    where tied_above > 0
    group by run_id, topic_id, first_rank
),
expected as (
    select
        evaluations.evaluation_id,
        retrieved.document_id,
        retrieved.rank,
        retrieved.tied_above,
        coalesce(last_of_ties.last_rank, retrieved.rank) - retrieved.rank as tied_below,
        judged_documents.grade
    from evaluations
    join judged_documents using (qrels_id, topic_id)
    join retrieved
        on retrieved.run_id = evaluations.run_id
        and retrieved.topic_id = evaluations.topic_id
        and retrieved.document_id = judged_documents.document_id
    left join last_of_ties
        on last_of_ties.run_id = retrieved.run_id
        and last_of_ties.topic_id = retrieved.topic_id
        and last_of_ties.first_rank = retrieved.first_rank
),
kept as (
    select
        evaluation_id,
        document_id,
        min(rank) as rank,
        min(tied_above) as tied_above,
        min(tied_below) as tied_below,
        min(grade) as grade,
        count(*) as times
    from judged_ranks
    group by evaluation_id, document_id
),
different as (
    select
        coalesce(expected.evaluation_id, kept.evaluation_id) as evaluation_id,
        coalesce(expected.document_id, kept.document_id) as document_id
    from expected
    full join kept
        on kept.evaluation_id = expected.evaluation_id
        and kept.document_id = expected.document_id
    where
        kept.rank is null
        or expected.rank is null
        or kept.times > 1
        or kept.rank <> expected.rank
        or kept.tied_above <> expected.tied_above
        or kept.tied_below <> expected.tied_below
        or kept.grade <> expected.grade
)
select
    concat(
        case
            when min(evaluations.run_id) is null then concat('evaluation #', different.evaluation_id)
            else concat(
                'run ', coalesce(min(runs.run), concat('#', min(evaluations.run_id))),
                ', topic ', coalesce(min(topics.topic), concat('#', min(evaluations.topic_id)))
            )
        end,
        ': judged_ranks differs from ranking and judgments, in document ',
        coalesce(min(documents.document), concat('#', min(different.document_id))),
        case when count(distinct different.document_id) > 1 then ' and others' else '' end
    ) as finding,
    count(distinct different.document_id) as num_rows
from different
left join evaluations using (evaluation_id)
left join runs using (run_id)
left join topics on topics.topic_id = evaluations.topic_id
left join documents on documents.document_id = different.document_id
group by different.evaluation_id

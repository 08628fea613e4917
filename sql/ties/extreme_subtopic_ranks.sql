-- title: What subtopic_ranks gives where tied documents stand in their worst or their best order, of all subtopics at once
-- definition: The best order of a tie has documents relevant to more subtopics above those relevant to fewer; the worst
--    order is its reverse.
-- parameters: rel, judged_only, ties in {worst, best} = best
-- columns: evaluation_id
--   subtopic        null
--   rank            rank in that order of a document that is relevant to some subtopic
--   relevant_rank   null
--   share           number of subtopics that it is relevant to
with relevant as (
    select
        tied_documents.evaluation_id,
        tied_documents.first_rank,
        tied_documents.last_rank,
        tied_documents.document_id,
        count(*) as num_subtopics
    from tied_documents(judged_only := $judged_only) as tied_documents
    join asked_evaluations() as evaluations using (evaluation_id)
    join assessments
        on assessments.qrels_id = evaluations.qrels_id
        and assessments.topic_id = evaluations.topic_id
        and assessments.document_id = tied_documents.document_id
    where
        tied_documents.grade >= $rel
        and assessments.grade >= $rel
    group by
        tied_documents.evaluation_id,
        tied_documents.first_rank,
        tied_documents.last_rank,
        tied_documents.document_id
),
numbered as (
    select
        *,
        row_number() over (
            partition by evaluation_id, first_rank
            order by num_subtopics desc
        ) as number_in_tie
    from relevant
)
select
    evaluation_id,
    cast(null as varchar) as subtopic,
    case when $ties = 'best' then first_rank + number_in_tie - 1 else last_rank - number_in_tie + 1 end as rank,
    cast(null as integer) as relevant_rank,
    cast(num_subtopics as double) as share
from numbered

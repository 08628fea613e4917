-- title: Documents tied with each other, and single ones, of which some are relevant to a subtopic
-- parameters: rel, judged_only
-- columns: evaluation_id, subtopic
--   first_rank   rank of the first of them
--   last_rank    rank of the last of them
--   num_rel      documents among them that are relevant to the subtopic
--   rel_above    documents above all of them that are relevant to it
with tied as (
    select
        tied_documents.evaluation_id,
        assessments.iteration as subtopic,
        tied_documents.first_rank,
        tied_documents.last_rank,
        count(*) as num_rel
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
        assessments.iteration,
        tied_documents.first_rank,
        tied_documents.last_rank
)
select
    *,
    cast(coalesce(sum(num_rel) over subtopics_above, 0) as integer) as rel_above
from tied
window subtopics_above as (
    partition by evaluation_id, subtopic
    order by first_rank
    rows between unbounded preceding and 1 preceding
)

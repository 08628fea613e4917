-- title: Ranks of the retrieved documents that are relevant to a subtopic, for each of their subtopics
-- parameters: rel, judged_only
--   judged_only boolean = false     whether ranks count only documents with a grade of 0 or more in any iteration
-- columns:
--   evaluation_id   key of the evaluation
--   subtopic        iteration of the judgments, which names the subtopic
--   rank            place in the ranking
--   first_rank      place of the first document tied with it
--   last_rank       place of the last document tied with it
--   nth             how many documents relevant to the subtopic stand here or above
select
    places.evaluation_id as evaluation_id,
    assessments.iteration as subtopic,
    places.rank as rank,
    places.first_rank as first_rank,
    places.last_rank as last_rank,
    row_number() over (
        partition by places.evaluation_id, assessments.iteration
        order by places.rank
    ) as nth
from judged_places(judged_only := $judged_only) as places
join evaluations on evaluations.evaluation_id = places.evaluation_id
join assessments
    on assessments.qrels_id = evaluations.qrels_id
    and assessments.topic_id = evaluations.topic_id
    and assessments.document_id = places.document_id
where assessments.grade >= $rel

-- title: Ranks of the retrieved documents that are relevant to a subtopic, for each of their subtopics
-- ties: worst, best = extreme_subtopic_ranks
-- ties: expected = expected_subtopic_ranks
-- parameters: rel, judged_only, ties
-- columns: evaluation_id, subtopic
--   rank            rank of a document that is relevant to it
--   relevant_rank   documents relevant to it down to this one
--   share           1; or the number of documents relevant to it expected at this rank of a tie
select
    ordered_ranks.evaluation_id as evaluation_id,
    assessments.iteration as subtopic,
    ordered_ranks.rank as rank,
    row_number() over (
        partition by ordered_ranks.evaluation_id, assessments.iteration
        order by ordered_ranks.rank
    ) as relevant_rank,
    ordered_ranks.share as share
from ordered_ranks(judged_only := $judged_only) as ordered_ranks
join asked_evaluations() as evaluations using (evaluation_id)
join assessments
    on assessments.qrels_id = evaluations.qrels_id
    and assessments.topic_id = evaluations.topic_id
    and assessments.document_id = ordered_ranks.document_id
-- Both grades in one join: engines then look for a document among the judgments of its topic, not of all topics.
where
    ordered_ranks.grade >= $rel
    and least(ordered_ranks.grade, assessments.grade) >= $rel

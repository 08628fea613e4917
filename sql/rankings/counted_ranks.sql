-- title: Judged documents with their ranks, or with their ranks among judged documents only
-- parameters: judged_only
-- columns:
--   evaluation_id   key of the evaluation
--   rank            place in the ranking
--   first_rank      place of the first document tied with it
--   last_rank       place of the last document tied with it
--   judged_rank     place among the documents with a grade of 0 or more; 0 where its own grade is negative
--   relevant_rank   place among the documents with a grade of 1 or more; 0 where its own grade is below
--   grade           grade; a negative one is no judgment
--   document_id     key of the document
select
    evaluation_id,
    rank,
    first_rank,
    last_rank,
    judged_rank,
    relevant_rank,
    grade,
    document_id
from judged_ranks
where not $judged_only
union all
select
    evaluation_id,
    judged_rank as rank,
    min(judged_rank) over tied as first_rank,
    max(judged_rank) over tied as last_rank,
    judged_rank,
    relevant_rank,
    grade,
    document_id
from judged_ranks
where
    grade >= 0
    and $judged_only
window tied as (partition by evaluation_id, first_rank)

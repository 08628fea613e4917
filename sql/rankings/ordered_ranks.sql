-- title: The judged documents of each ranking in their order, with how many judged and relevant ones stand down to each
-- ties: worst, best = extreme_ranks
-- parameters: judged_only, ties in {rule, worst, best}
-- columns:
--   evaluation_id   key of the evaluation
--   document_id     key of the document
--   rank            its rank, counted among judged documents alone if they are all that is ranked
--   judged_rank     documents with a grade of 0 or more down to it; 0 where its own grade is negative
--   relevant_rank   documents with a grade of 1 or more down to it; 0 where its own grade is below
--   grade           its grade; a negative one is no judgment
select
    evaluation_id,
    document_id,
    case when $judged_only then judged_rank else rank end as rank,
    judged_rank,
    relevant_rank,
    grade
from asked_ranks()
where
    grade >= 0
    or not $judged_only

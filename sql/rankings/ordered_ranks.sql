-- title: The judged documents of each ranking in their order, with how many judged and relevant ones stand down to each
-- ties: worst, best = extreme_ranks
-- ties: expected = expected_ranks
-- parameters: judged_only, ties
-- columns: evaluation_id
--   document_id     key of the document; null where a row stands for several of a tie
--   rank            its rank, counted among judged documents alone if they are all that is ranked
--   judged_rank     documents with a grade of 0 or more down to it; 0 where its own grade is negative
--   relevant_rank   documents with a grade of 1 or more down to it; 0 where its own grade is below
--   grade           its grade; a negative one is no judgment
--   share           1; or the number of documents of this grade expected at this rank of a tie
select
    evaluation_id,
    document_id,
    case when $judged_only then judged_rank else rank end as rank,
    judged_rank,
    relevant_rank,
    grade,
    cast(1 as double) as share
from asked_ranks()
where
    grade >= 0
    or not $judged_only

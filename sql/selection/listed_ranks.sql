-- title: New ranks of judged documents, as judged_ranks has them: with those of the first and last document tied with each
-- inputs: new_ranks
-- columns: evaluation_id
--   rank            rank in the ranking
--   tied_above      documents tied with it above it
--   tied_below      documents tied with it below it
--   first_rank      rank of the first document tied with it; its own where there is none
--   last_rank       rank of the last document tied with it
--   judged_rank     rank among the documents with a grade of 0 or more; 0 where its own grade is negative
--   relevant_rank   rank among the documents with a grade of 1 or more; 0 where its own grade is below
--   grade           the document's grade
--   document_id     key of the document
select
    evaluation_id,
    rank,
    tied_above,
    tied_below,
    rank - tied_above as first_rank,
    rank + tied_below as last_rank,
    judged_rank,
    relevant_rank,
    grade,
    document_id
from new_ranks

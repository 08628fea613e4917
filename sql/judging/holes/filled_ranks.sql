-- title: The rows of judged_ranks as they would be if somebody had judged all holes
-- definition: All holes down to the cutoff get the grade that is worth least, which is 0, or greatest. A measure that
--    never falls when a hole's grade rises has its bounds there: WITH judged_ranks AS (FROM a table of these rows).
-- parameters: k, most, gains, unjudged
--   unjudged varchar in {least, greatest} = greatest   whether holes are worth the least or the greatest possible
-- columns: evaluation_id
--   rank            place in the ranking
--   tied_above      0: the order is the tie rule's
--   tied_below      0
--   first_rank      rank
--   last_rank       rank
--   judged_rank     rank: all down to the cutoff have a grade
--   relevant_rank   place among the documents with a grade of 1 or more; 0 where its own grade is below
--   grade           the document's grade, or the one that the hole gets
--   document_id     key of the document
select
    evaluation_id,
    rank,
    tied_above,
    tied_below,
    first_rank,
    last_rank,
    judged_rank,
    relevant_rank,
    grade,
    document_id
from doubly_filled_ranks(k := $k, most := $most, gains := $gains) as filled
where filled.unjudged = $unjudged

-- title: The rows of judged_ranks for the runs that are asked for
-- columns: evaluation_id, document_id
--   rank            place in the ranking
--   tied_above      documents tied with it above it
--   tied_below      documents tied with it below it
--   first_rank      place of the first document tied with it
--   last_rank       place of the last document tied with it
--   judged_rank     place among the documents with a grade of 0 or more; 0 where its own grade is negative
--   relevant_rank   place among the documents with a grade of 1 or more; 0 where its own grade is below
--   grade           the document's grade
with named as (
    select *
    from judged_ranks
    where evaluation_id in (select evaluation_id from asked_evaluations())
)
select *
from query_table(case when getvariable('only_runs') is null then 'judged_ranks' else 'named' end)

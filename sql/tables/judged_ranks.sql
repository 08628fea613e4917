-- title: Ranks of the retrieved documents that have a judgment, in the order evaluation, rank
-- columns: evaluation_id
--   rank            place in the ranking
--   tied_above      documents tied with it above it
--   tied_below      documents tied with it below it
--   first_rank      place of the first document tied with it; rank where there is none
--   last_rank       place of the last document tied with it
--   judged_rank     place among the documents with a grade of 0 or more; 0 where its own grade is negative
--   relevant_rank   place among the documents with a grade of 1 or more; 0 where its own grade is below
--   grade           the document's grade
--   document_id     key of the document
create table judged_ranks (
    evaluation_id integer not null,
    rank integer not null,
    tied_above integer not null,
    tied_below integer not null,
    first_rank integer generated always as (rank - tied_above) virtual,
    last_rank integer generated always as (rank + tied_below) virtual,
    judged_rank integer not null,
    relevant_rank integer not null,
    grade integer not null,
    document_id integer not null
);

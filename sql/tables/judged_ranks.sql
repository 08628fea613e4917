-- title: Ranks of the retrieved documents that have a judgment, in the order evaluation, rank
-- columns:
--   evaluation_id   key of the evaluation
--   rank            place in the ranking
--   grade           the document's grade
create table judged_ranks (
    evaluation_id integer not null,
    rank integer not null,
    grade integer not null
);

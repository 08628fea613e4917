-- title: Retrieved documents by key; the view rankings has them by name
-- columns: run_id, topic_id
--   rank          place in the ranking from 1, under the run's tie rule
--   tied_above    documents above it that the tie rule holds equal to it
--   first_rank    place of the first document that the tie rule holds equal to this one; rank where there is none
--   document_id   key of the document
--   score         score as it stood in the file
create table retrieved (
    run_id integer not null,
    topic_id integer not null,
    rank integer not null,
    tied_above integer not null,
    -- Virtual, since what is stored of ties is nearly all 0.
    first_rank integer generated always as (rank - tied_above) virtual,
    document_id integer not null,
    score double not null
);

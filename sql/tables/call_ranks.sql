-- title: What each call found, of runs that searched several times for a topic; retrieved has the union of the calls
-- columns: run_id, topic_id
--   call          place of the call among those of the topic, from 1
--   call_name     the call as the file names it; null where that is its place
--   rank          rank in the call from 1, under the run's tie rule
--   tied_above    documents of the call above it that the tie rule holds equal to it
--   document_id   key of the document
--   score         score as it stood in the file
create table call_ranks (
    run_id integer not null,
    topic_id integer not null,
    call integer not null,
    call_name varchar,
    rank integer not null,
    tied_above integer not null,
    document_id integer not null,
    score double not null
);

-- title: Values that were computed elsewhere, by key; the view stored_values has them by name
-- columns: qrels_id, run_id, topic_id, measure
--   value             its value
--   evalsql_version   version of the program that computed it
--   sql_digest        SHA-256 over the relation files that it was computed by
create table stored_scores (
    qrels_id integer not null,
    run_id integer not null,
    topic_id integer not null,
    measure varchar not null,
    value double not null,
    evalsql_version varchar not null,
    sql_digest varchar not null
);

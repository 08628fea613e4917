-- title: Topics that a run has documents for
-- columns: run_id, topic_id
--   num_ret   number of documents kept
create table run_topics (
    run_id integer not null,
    topic_id integer not null,
    num_ret integer not null
);

-- title: Topics that a run has documents for
-- columns:
--   run_id     key of the run
--   topic_id   key of the topic
--   num_ret    number of documents kept
create table run_topics (
    run_id integer not null,
    topic_id integer not null,
    num_ret integer not null
);

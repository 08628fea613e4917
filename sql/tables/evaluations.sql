-- title: What is evaluated: one row for each run, judgment set and topic of that set
-- columns:
--   evaluation_id   key; consecutive within a judgment set and run
--   qrels_id        key of the judgment set
--   run_id          key of the run
--   topic_id        key of the topic
create table evaluations (
    evaluation_id integer not null,
    qrels_id integer not null,
    run_id integer not null,
    topic_id integer not null
);

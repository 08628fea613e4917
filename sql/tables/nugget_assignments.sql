-- title: Which nuggets the answers of a run hold, a row for each nugget of each topic that it answers
-- columns: run_id
--   qrels_id     key of the judgment set that has the nuggets
--   topic_id     key of the topic
--   nugget       name of the nugget
--   assignment   support, partial_support or not_support
create table nugget_assignments (
    run_id integer not null,
    qrels_id integer not null,
    topic_id integer not null,
    nugget varchar not null,
    assignment varchar not null
);

-- title: Names of topics
-- columns:
--   topic_id   key
--   topic      name, exactly as in the files: 001 and 1 are two topics
create table topics (
    topic_id integer not null,
    topic varchar not null
);

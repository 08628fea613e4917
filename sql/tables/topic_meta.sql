-- title: What is known of topics beside their names, one row a fact
-- columns:
--   qrels_id   key of the judgment set whose topics these are: topic 1 of two collections is not the same question
--   topic_id   key of the topic
--   key        what it is: text, description and narrative are the question's own words; any other is a group, such as
--              language or type
--   value      the text or group
create table topic_meta (
    qrels_id integer not null,
    topic_id integer not null,
    key varchar not null,
    value varchar not null
);

-- title: Weights of topics in judgment sets, as they were given; the view weighted_topics has those of all by name
-- columns: qrels_id, topic_id
--   weight   above 0; a topic without a row weighs 1
create table topic_weights (
    qrels_id integer not null,
    topic_id integer not null,
    weight double not null
);

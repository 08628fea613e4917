-- title: What runs cost: any number of a topic, of one of its calls or of a whole run
-- columns: run_id
--   topic_id   key of the topic; null for a number of the whole run
--   call       number of the call within the topic; null for a number of the whole topic
--   cost       what the number is, its unit behind its name, as in latency_ms
--   value      the number, 0 or more
create table costs (
    run_id integer not null,
    topic_id integer,
    call integer,
    cost varchar not null,
    value double not null
);

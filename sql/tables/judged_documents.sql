-- title: The one grade of each judged document, which all measures but those of groups and preferences go by
-- columns: qrels_id, topic_id, document_id
--   grade   its grade; of several groups the highest; of preferences 1 where a level is above 0, else 0
create table judged_documents (
    qrels_id integer not null,
    topic_id integer not null,
    document_id integer not null,
    grade integer not null
);

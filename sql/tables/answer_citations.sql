-- title: Which documents the sentences of answers cite, and whether these support them
-- columns: run_id
--   qrels_id   key of the judgment set whose nuggets have the topic
--   topic_id   key of the topic
--   sentence   number or name of the sentence in its answer
--   document   name of the document; null for a sentence that cites none
--   support    2 where the document supports the sentence in full, 1 in part, 0 not; null for a sentence without one
create table answer_citations (
    run_id integer not null,
    qrels_id integer not null,
    topic_id integer not null,
    sentence varchar not null,
    document varchar,
    support integer
);

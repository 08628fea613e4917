-- title: Judgments by key; the view judgments has them by name
-- columns: qrels_id, topic_id
--   iteration     second column of the file: round, subtopic, or nothing of importance
--   document_id   key of the document
--   grade         degree of relevance; 0 is judged not relevant, below 0 is not judged either way
create table assessments (
    qrels_id integer not null,
    topic_id integer not null,
    iteration varchar not null,
    document_id integer not null,
    grade integer not null
);

-- title: Judged spans of documents, of judgment sets of the form spans; the view span_judgments has them by name
-- columns: qrels_id, topic_id
--   span          number of the span among those of its topic, from 1
--   document_id   key of the document
--   span_start    first character, token, line or page of the span, as the file counts them
--   span_end      the first one behind the span
--   grade         degree of relevance; 0 is judged not relevant, below 0 is not judged either way
create table judged_spans (
    qrels_id integer not null,
    topic_id integer not null,
    span integer not null,
    document_id integer not null,
    span_start integer not null,
    span_end bigint not null,
    grade integer not null
);

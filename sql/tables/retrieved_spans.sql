-- title: Retrieved spans of documents, of runs whose results are spans; the view span_rankings has them by name
-- columns: run_id, topic_id
--   rank          place among the spans of its topic from 1, under the run's tie rule
--   document_id   key of the document, which may have several
--   span_start    first character, token, line or page of the span, as the file counts them
--   span_end      the first one behind the span
--   score         score as it stood in the file
create table retrieved_spans (
    run_id integer not null,
    topic_id integer not null,
    rank integer not null,
    document_id integer not null,
    span_start integer not null,
    span_end bigint not null,
    score double not null
);

-- title: How judged documents were drawn, of judgment sets that are samples; others were judged for certain
-- columns: qrels_id, topic_id, document_id
--   stratum       stratum that the document was drawn from, or method that drew it
--   probability   how likely it was to be judged: of a stratum the share that is judged, which is 0 where nothing is
create table judgment_samples (
    qrels_id integer not null,
    topic_id integer not null,
    document_id integer not null,
    stratum varchar not null,
    probability double not null
);

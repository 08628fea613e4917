-- title: Levels by which documents are preferred to each other, of judgment sets that are preferences
-- columns: qrels_id, topic_id
--   judgment_group   who judged: one user with one need; different groups may contradict each other
--   subgroup         documents compared with each other, part of a group
--   document_id      key of the document
--   level            a document is preferred to those of a lower level in its subgroup; above 0 it is relevant
create table preferences (
    qrels_id integer not null,
    topic_id integer not null,
    judgment_group varchar not null,
    subgroup varchar not null,
    document_id integer not null,
    level double not null
);

-- title: Names of documents
-- columns:
--   document_id   key
--   document      name, exactly as in the files
create table documents (
    document_id integer not null,
    document varchar not null
);

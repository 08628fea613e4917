-- title: Titles and texts of documents, where they were loaded; the view document_words has them by name
-- columns: document_id
--   title   its title in one line; null where it has none
--   text    its text without white space at the ends of lines; a text that was cut ends with an ellipsis
create table document_texts (
    document_id integer not null,
    title varchar,
    text varchar
);

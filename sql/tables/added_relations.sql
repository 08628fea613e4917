-- title: Measures that users added to this file, and the steps these stand on
-- columns:
--   nth        order in which they are made, each after those it reads
--   relation   name of the view and the table macro
--   text       the relation file, header and SQL, as it was
--   added_at   when it was added, in UTC
create table added_relations (
    nth integer not null,
    relation varchar not null,
    text varchar not null,
    added_at timestamp not null
);

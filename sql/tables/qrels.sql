-- title: Sets of relevance judgments, one row each
-- columns:
--   qrels_id          key
--   qrels             name of the set
--   form              what it holds: grades, groups (a document may be judged once in each iteration), preferences, spans,
--                     grades of a sample: strata, probabilities, or nuggets of answers
--   duplicates        rows left out as repeated documents, on the user's word
--   comments          comment and header lines of its file, as they stood
--   meta              key=value pairs given when it was loaded
--   loaded_at         when it was loaded, in UTC
--   evalsql_version   version of the program that loaded it
--   replaced_at       when newer judgments took its place, in UTC; null while it is the one in use
create table qrels (
    qrels_id integer not null,
    qrels varchar not null,
    form varchar not null,
    duplicates bigint not null,
    comments varchar not null,
    meta map(varchar, varchar) not null,
    loaded_at timestamp not null,
    evalsql_version varchar not null,
    replaced_at timestamp
);

-- title: Changes of what is kept with runs and judgments, one row for each key of meta that was changed
-- columns:
--   kind              run or qrels
--   id                run_id or qrels_id
--   key               key of meta
--   old_value         its value before; null where it had none
--   new_value         its value since; null where it was taken out
--   changed_at        when it was changed, in UTC
--   evalsql_version   version of the program that changed it
create table meta_changes (
    kind varchar not null,
    id integer not null,
    key varchar not null,
    old_value varchar,
    new_value varchar,
    changed_at timestamp not null,
    evalsql_version varchar not null
);

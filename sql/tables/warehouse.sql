-- title: What made this file: one row
-- columns:
--   schema_version    version of the base tables; a newer one than the program's is refused
--   evalsql_version   version of the program that wrote the views and macros
--   sql_digest        SHA-256 over every relation file the views and macros were made from
--   built_at          when they were made, in UTC
create table warehouse (
    schema_version integer not null,
    evalsql_version varchar not null,
    sql_digest varchar not null,
    built_at timestamp not null
);

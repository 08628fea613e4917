-- title: Where to begin: all tables, views and macros of evalsql, in the order in which one needs them
-- columns:
--   relation   name of the table or view, and of the table macro if it takes parameters; of the scalar macro of a function
--   kind       tables, measures, reports, statistics, judging, fusion, functions, steps, or keys: base tables without names
--   title      what it holds, in a line
create table relations (
    relation varchar not null,
    kind varchar not null,
    title varchar not null
);

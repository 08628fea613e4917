-- title: Views and macros that evalsql made; others are left alone when they are made anew
-- columns:
--   relation   name of the view, and of the table macro if it takes parameters; of the scalar macro of a function
--   kind       functions, steps, measures, fusion, statistics, reports or judging
--   title      what it holds, in a line
create table relations (
    relation varchar not null,
    kind varchar not null,
    title varchar not null
);

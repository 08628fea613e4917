-- title: Runs (what a system returned for every topic), one row each
-- columns:
--   run_id            key
--   run               name: the file's stem unless another was given
--   tag               the run tag inside the file, the last one if there are several, null if there is none;
--                     kept as data, never as identity
--   num_tags          how many different tags the file has
--   tie_rule          how documents were ordered: trec_eval, trec_eval_10, rank or input
--   lower_is_better   whether a smaller score is the better one, as with E-values
--   duplicates        rows left out as repeated documents, on the user's word
--   depth             documents kept of each topic, the rest being left out; null if all were
--   judged_by         judgment set whose unjudged documents were left out; null if none were
--   comments          comment and header lines of its file, as they stood
--   meta              key=value pairs given when it was loaded
--   loaded_at         when it was loaded, in UTC
--   evalsql_version   version of the program that loaded it
create table runs (
    run_id integer not null,
    run varchar not null,
    tag varchar,
    num_tags integer not null,
    tie_rule varchar not null,
    lower_is_better boolean not null,
    duplicates bigint not null,
    depth integer,
    judged_by varchar,
    comments varchar not null,
    meta map(varchar, varchar) not null,
    loaded_at timestamp not null,
    evalsql_version varchar not null
);

-- title: Values over whole collections, computed elsewhere and published without those of the topics
-- columns:
--   run_id    key of the run; its meta has the collection, the system and the version
--   measure   canonical name of the measure, or its own name where evalsql does not have it
--   value     its value
create table collection_scores (
    run_id integer not null,
    measure varchar not null,
    value double not null
);

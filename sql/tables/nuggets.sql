-- title: Facts that answers should hold, of judgment sets that are nuggets
-- columns: qrels_id, topic_id
--   nugget       its name, or its text where it has no other
--   importance   vital, which a good answer must have, or okay, which it may have
--   text         its text; null where that is its name or was not given
create table nuggets (
    qrels_id integer not null,
    topic_id integer not null,
    nugget varchar not null,
    importance varchar not null,
    text varchar
);

-- title: Rows of records that hold a ranking each
-- inputs: rankings
-- columns:
--   topic      topic; null where it is an object or a list of its own
--   document   document; null where it is missing, or an object or a list of its own
--   rank       place in the ranking from 1
--   score      what stands at the same place among the scores, as text
with listed as (
    select
        topics as topic,
        unnest(coalesce(documents, [null])) as document,
        unnest(range(1, coalesce(len(documents), 1) + 1)) as rank,
        unnest(scores) as score
    from rankings
)
select
    case when not regexp_matches(topic, '^[{\[]') then topic end as topic,
    case when not regexp_matches(document, '^[{\[]') then document end as document,
    rank,
    score
from listed

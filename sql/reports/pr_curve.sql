-- title: The precision-recall curve of each ranking, by the corners of its saw-tooth
-- parameters: rel
-- columns:
--   qrels          judgment set
--   run            run
--   topic          topic
--   rank           a relevant document's place, the place before it, or the last of the ranking; from one relevant
--                  document to the place before the next recall stays and precision falls
--   recall         recall there; 0 if there are no relevant documents
--   precision      precision there
--   interpolated   highest precision at any recall of at least this one
with found_places as (
    select
        evaluation_id,
        rank,
        nth,
        precision
    from interpolated_precisions(rel := $rel)
),
hit_counts as (
    select
        evaluation_id,
        count(*) as num_rel_ret
    from found_places
    group by evaluation_id
),
corners as (
    select
        evaluation_id,
        rank,
        nth
    from found_places
    union
    select
        evaluation_id,
        rank - 1 as rank,
        nth - 1 as nth
    from found_places
    where rank > 1
    union
    select
        evaluated_topics.evaluation_id,
        evaluated_topics.num_ret as rank,
        coalesce(hit_counts.num_rel_ret, 0) as nth
    from evaluated_topics
    left join hit_counts on hit_counts.evaluation_id = evaluated_topics.evaluation_id
    where evaluated_topics.num_ret > 0
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    corners.rank,
    coalesce(cast(corners.nth as double) / nullif(topic_counts.num_rel, 0), 0) as recall,
    cast(corners.nth as double) / corners.rank as precision,
    coalesce(found_places.precision, 0) as interpolated
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts
    on topic_counts.qrels_id = evaluated_topics.qrels_id
    and topic_counts.topic_id = evaluated_topics.topic_id
join corners on corners.evaluation_id = evaluated_topics.evaluation_id
left join found_places
    on found_places.evaluation_id = corners.evaluation_id
    and found_places.nth = greatest(corners.nth, 1)

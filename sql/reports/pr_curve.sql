-- title: The precision-recall curve of each ranking, by the corners of its saw-tooth
-- parameters: rel
-- columns: qrels, run, topic
--   rank           a relevant document's rank, the rank before it, or the last of the ranking; from one relevant
--                  document to the rank before the next recall stays and precision falls
--   recall         recall there; 0 if there are no relevant documents
--   precision      precision there
--   interpolated   highest precision at any recall of at least this one
with interpolated as (
    select
        evaluation_id,
        rank,
        relevant_rank,
        max(relevant_rank / rank) over (
            partition by evaluation_id
            order by relevant_rank desc
            rows between unbounded preceding and current row
        ) as precision
    from relevant_ranks(rel := $rel)
),
hit_counts as (
    select
        evaluation_id,
        count(*) as num_rel_ret
    from interpolated
    group by evaluation_id
),
corners as (
    select
        evaluation_id,
        rank,
        relevant_rank
    from interpolated
    union
    select
        evaluation_id,
        rank - 1 as rank,
        relevant_rank - 1 as relevant_rank
    from interpolated
    where rank > 1
    union
    select
        evaluated_topics.evaluation_id,
        evaluated_topics.num_ret as rank,
        coalesce(hit_counts.num_rel_ret, 0) as relevant_rank
    from evaluated_topics
    left join hit_counts using (evaluation_id)
    where evaluated_topics.num_ret > 0
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    corners.rank,
    coalesce(corners.relevant_rank / nullif(topic_counts.num_rel, 0), 0) as recall,
    corners.relevant_rank / corners.rank as precision,
    coalesce(interpolated.precision, 0) as interpolated
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
join corners using (evaluation_id)
left join interpolated
    on interpolated.evaluation_id = corners.evaluation_id
    and interpolated.relevant_rank = greatest(corners.relevant_rank, 1)

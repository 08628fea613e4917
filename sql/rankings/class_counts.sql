-- title: How many documents of each ranking are relevant and how many are not, retrieved and in all
-- parameters: rel, nonrelevant, collection
-- columns: evaluation_id
--   num_rel      relevant documents
--   num_nonrel   documents not relevant
--   rel_ret      relevant documents retrieved
--   nonrel_ret   documents not relevant retrieved
with found as (
    select
        evaluation_id,
        count(case when grade >= $rel then 1 end) as num_rel,
        count(case when grade >= 0 and grade < $rel then 1 end) as num_nonrel
    from asked_ranks()
    group by evaluation_id
),
counted as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        topic_counts.num_rel as num_rel,
        coalesce(found.num_rel, 0) as rel_ret,
        topic_counts.num_nonrel as judged_nonrel,
        coalesce(found.num_nonrel, 0) as judged_nonrel_ret,
        evaluated_topics.num_ret - coalesce(found.num_rel, 0) as others_ret
    from evaluated_topics
    join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
    left join found using (evaluation_id)
)
select
    evaluation_id,
    num_rel,
    case
        when $nonrelevant = 'judged' then judged_nonrel
        else greatest(others_ret, coalesce($collection - num_rel, 0))
    end as num_nonrel,
    rel_ret,
    case when $nonrelevant = 'judged' then judged_nonrel_ret else others_ret end as nonrel_ret
from counted

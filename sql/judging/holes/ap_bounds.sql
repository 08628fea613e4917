-- title: The least and the greatest average precision, whatever grades the unjudged documents have
-- parameters: k, rel, most, unseen
-- columns: qrels, run, topic
--   least      least value
--   greatest   greatest value
-- definition: Extremes over the numbers of relevant holes; see precision_sums. All that is unseen is relevant at the
--    least, and nothing of it at the greatest.
with extremes as (
    select
        evaluation_id,
        min(case when bound = 'least' then coalesce(total / nullif(num_rel, 0), 0) end) as least,
        max(case when bound = 'greatest' then coalesce(total / nullif(num_rel, 0), 0) end) as greatest
    from precision_sums(k := $k, rel := $rel, most := $most, unseen := $unseen)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    extremes.least,
    extremes.greatest
from evaluated_topics
join extremes on extremes.evaluation_id = evaluated_topics.evaluation_id

-- title: The least and the greatest YAAP, whatever grades the unjudged documents have
-- parameters: rel, most, unseen
-- columns: qrels, run, topic
--   least      least value
--   greatest   greatest value
-- definition: Extremes over the numbers of relevant holes; see precision_sums. YAAP rises with the sum S of precisions
--    and falls with R, so that they are where those of average precision are looked for.
with extremes as (
    select
        evaluation_id,
        min(case when bound = 'least' then ln((1 + total) / (1 + num_rel - total)) end) as least,
        max(case when bound = 'greatest' then ln((1 + total) / (1 + num_rel - total)) end) as greatest
    from precision_sums(rel := $rel, most := $most, unseen := $unseen)
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

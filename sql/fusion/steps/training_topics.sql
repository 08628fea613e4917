-- title: The topics from which is learnt what those of a fold are fused by
-- parameters: qrels, folds
-- columns:
--   fold         fold of the topics that are fused; 0 is topics without judgments, for which all others serve
--   topic_id     key of a topic to learn from
--   num_topics   how many of these the fold has
with parts as (
    select
        topic_id,
        fold
    from topic_folds(qrels := $qrels, folds := $folds)
)
select
    fused.fold,
    parts.topic_id,
    count(*) over (partition by fused.fold) as num_topics
from parts
join (select distinct fold from parts union all select 0 as fold) as fused
    on fused.fold <> parts.fold
    or $folds = 1

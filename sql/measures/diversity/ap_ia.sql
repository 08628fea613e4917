-- measure: AP_IA
-- title: Intent-aware average precision
-- aliases: MAP_IA, AP-IA, MAP-IA
-- parameters: rel, judged_only, ties
-- definition: Average precision by the judgments of each subtopic, and the mean over subtopics. Subtopics are
--    the iterations of the topic's judgments in which a document is relevant; 0 where there are none.
-- reference: Agrawal, Gollapudi, Halverson and Ieong 2009, Diversifying search results,
--    doi:10.1145/1498759.1498766
-- differs: Equal to ndeval's MAP-IA. pyndeval puts tied documents in ascending order of their names;
--    ir_measures 0.4.3 fails with judged_only. AP_groups counts groups without a relevant document too.
-- range: 0 1
-- mean: arithmetic
-- holes: none, which subtopics a hole has is as open as whether it has any
-- scores: no
-- example: diversity AP_IA = 0.5551
with precisions as (
    select
        evaluation_id,
        subtopic,
        fsum(share * relevant_rank / rank) as total
    from subtopic_ranks(rel := $rel, judged_only := $judged_only, ties := $ties)
    group by evaluation_id, subtopic
),
averages as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        avg(coalesce(precisions.total, 0) / group_relevant_counts.num_rel) as value
    from evaluated_topics
    join group_relevant_counts(rel := $rel) as group_relevant_counts using (qrels_id, topic_id)
    left join precisions
        on precisions.evaluation_id = evaluated_topics.evaluation_id
        and precisions.subtopic = group_relevant_counts.judgment_group
    where group_relevant_counts.num_rel > 0
    group by evaluated_topics.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(averages.value, 0) as value
from evaluated_topics
left join averages using (evaluation_id)

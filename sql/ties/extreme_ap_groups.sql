-- title: AP_groups of the worst or the best order of tied documents
-- parameters: rel, judged_only, ties in {worst, best} = best
--   judged_only boolean = false   whether ranks count only documents to which the group gave a grade of 0 or more
-- columns: qrels, run, topic, value
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case when extremes.evaluation_id is null then 0 else extremes.total end as value
from evaluated_topics
left join extreme_group_totals(rel := $rel, judged_only := $judged_only, measure := 'AP', ties := $ties) as extremes
    using (evaluation_id)

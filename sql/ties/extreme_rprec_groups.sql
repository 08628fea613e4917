-- title: Rprec_groups of the worst or the best order of tied documents
-- parameters: multiple, rel, judged_only, ties in {worst, best} = best
--   multiple double in (0, inf) = 1.0   cutoff as a multiple of the number of relevant documents
--   judged_only boolean = false         whether ranks count only documents to which the group gave a grade of 0 or
--                                       more
-- columns: qrels, run, topic, value
--   multiple   cutoff as a multiple of the number of relevant documents
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cast(multiples.value as double) as multiple,
    case when extremes.evaluation_id is null then 0 else extremes.total end as value
from evaluated_topics
cross join given_values(given := $multiple) as multiples
left join extreme_group_totals(
    rel := $rel, judged_only := $judged_only, measure := 'Rprec', depth := $multiple, ties := $ties
) as extremes
    on extremes.evaluation_id = evaluated_topics.evaluation_id
    and extremes.depth = cast(multiples.value as double)

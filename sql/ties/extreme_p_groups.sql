-- title: P_groups of the worst or the best order of tied documents
-- definition: The documents that are relevant to most groups stand at the top of their tie, or at its bottom. Where
--    ranks leave documents out, a high rank for one group need not be high for another, and orders are searched.
-- parameters: k, rel, judged_only, ties in {worst, best} = best
--   k integer in [1, inf) = 10    rank cutoff
--   judged_only boolean = false   whether ranks count only documents to which the group gave a grade of 0 or more
-- columns: qrels, run, topic, value
with group_counts as (
    select
        qrels_id,
        topic_id,
        count(*) as num_groups
    from group_relevant_counts(rel := $rel)
    group by qrels_id, topic_id
),
found as (
    select
        evaluation_id,
        sum(share) as num_rel_ret
    from extreme_subtopic_ranks(rel := $rel, ties := $ties)
    where rank <= $k
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(found.num_rel_ret / $k / group_counts.num_groups, 0) as value
from evaluated_topics
left join group_counts
    on group_counts.qrels_id = evaluated_topics.qrels_id
    and group_counts.topic_id = evaluated_topics.topic_id
left join found on found.evaluation_id = evaluated_topics.evaluation_id
where not $judged_only
union all
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case when extremes.evaluation_id is null then 0 else extremes.total end as value
from evaluated_topics
left join extreme_group_totals(
    rel := $rel, judged_only := $judged_only, measure := 'P', depth := $k, ties := $ties
) as extremes
    on extremes.evaluation_id = evaluated_topics.evaluation_id
where $judged_only

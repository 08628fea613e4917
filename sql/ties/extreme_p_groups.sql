-- title: P_groups of the worst or the best order of tied documents
-- definition: The documents that are relevant to most groups stand at the top of their tie, or at its bottom. Where
--    ranks leave documents out, a high rank for one group need not be high for another, and orders are searched.
-- parameters: k, rel, judged_only, ties in {worst, best} = best
--   k integer in [1, inf) = 10    rank cutoff
--   judged_only boolean = false   whether ranks count only documents to which the group gave a grade of 0 or more
-- columns: qrels, run, topic, value
--   k   rank cutoff
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
        cutoffs.last_rank,
        sum(share) as num_rel_ret
    from extreme_subtopic_ranks(rel := $rel, ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(found.num_rel_ret / cutoffs.k / group_counts.num_groups, 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join group_counts using (qrels_id, topic_id)
left join found using (evaluation_id, last_rank)
where not $judged_only
union all
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    case when extremes.evaluation_id is null then 0 else extremes.total end as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join extreme_group_totals(
    rel := $rel, judged_only := $judged_only, measure := 'P', depth := $k, ties := $ties
) as extremes
    on extremes.evaluation_id = evaluated_topics.evaluation_id
    and extremes.depth = cutoffs.last_rank
where $judged_only

-- title: What the preferences that count weigh, and those of them that a ranking fulfils
-- ties: worst, best, expected = fulfilled_weights
-- definition: Where each document of a topic has one level, they are counted by levels: of the documents at a level and
--    those below it in its subgroup, n at the level would have the places 1 to n if they stood above all others. As
--    much as the sum of their places is greater, so many preferences are not fulfilled. Where a document has several
--    levels, preferences may follow from others, or several groups have the same, and each is looked at.
-- parameters: pairs, unit, ties
-- columns: evaluation_id
--   fulfilled_weight   weight of the preferences fulfilled; null where it is not known
--   total_weight       weight of all preferences that count
with levels as (
    select
        qrels_id,
        topic_id,
        judgment_group,
        subgroup,
        level,
        count(*) as num_better
    from judged_levels
    where not is_repeated
    group by qrels_id, topic_id, judgment_group, subgroup, level
),
levels_above as (
    select
        *,
        sum(num_better) over (
            partition by qrels_id, topic_id, judgment_group, subgroup
            order by level
        ) - num_better as num_worse
    from levels
),
places as (
    select
        ranks.evaluation_id,
        levels_above.judgment_group,
        levels_above.subgroup,
        levels_above.level,
        judged_levels.level = levels_above.level as is_better,
        row_number() over (
            partition by
                ranks.evaluation_id,
                levels_above.judgment_group,
                levels_above.subgroup,
                levels_above.level
            -- Elsewhere tied documents are in descending order of their names, here in ascending order.
            order by ranks.first_rank + ranks.last_rank - ranks.rank
        ) as place
    from asked_ranks() as ranks
    join asked_evaluations() as evaluations using (evaluation_id)
    join judged_levels
        on judged_levels.qrels_id = evaluations.qrels_id
        and judged_levels.topic_id = evaluations.topic_id
        and judged_levels.document_id = ranks.document_id
    join levels_above
        on levels_above.qrels_id = judged_levels.qrels_id
        and levels_above.topic_id = judged_levels.topic_id
        and levels_above.judgment_group = judged_levels.judgment_group
        and levels_above.subgroup = judged_levels.subgroup
        and levels_above.level >= judged_levels.level
        and levels_above.num_worse > 0
),
found as (
    select
        evaluation_id,
        judgment_group,
        subgroup,
        level,
        count(case when is_better then 1 end) as num_better,
        count(case when not is_better then 1 end) as num_worse,
        sum(case when is_better then place else 0 end) as places
    from places
    group by evaluation_id, judgment_group, subgroup, level
),
by_levels as (
    select
        evaluations.evaluation_id,
        levels_above.judgment_group,
        cast(levels_above.num_better as double) * levels_above.num_worse as num_all,
        cast(coalesce(found.num_better, 0) as double) * coalesce(found.num_worse, 0) as num_retrieved,
        cast(levels_above.num_better - coalesce(found.num_better, 0) as double)
            * (levels_above.num_worse - coalesce(found.num_worse, 0)) as num_lacking,
        cast(coalesce(found.num_better, 0) as double)
            * case when $pairs = 'retrieved' then coalesce(found.num_worse, 0) else levels_above.num_worse end
            - coalesce(found.places - found.num_better * (found.num_better + 1) / 2, 0) as num_fulfilled
    from asked_evaluations() as evaluations
    join levels_above using (qrels_id, topic_id)
    left join found
        on found.evaluation_id = evaluations.evaluation_id
        and found.judgment_group = levels_above.judgment_group
        and found.subgroup = levels_above.subgroup
        and found.level = levels_above.level
),
counts as (
    select
        evaluation_id,
        judgment_group,
        sum(case $pairs when 'all' then num_all when 'implied' then num_all - num_lacking else num_retrieved end)
            as num_prefs,
        sum(num_fulfilled) as num_fulfilled
    from by_levels
    group by evaluation_id, judgment_group
),
by_group as (
    select
        evaluation_id,
        num_prefs,
        num_fulfilled,
        num_prefs as prefs_share,
        num_fulfilled as fulfilled_share
    from counts
    union all
    select
        evaluation_id,
        cast(count(*) as double) as num_prefs,
        cast(count(case when is_fulfilled then 1 end) as double) as num_fulfilled,
        sum(1 / num_groups) as prefs_share,
        sum(case when is_fulfilled then 1 / num_groups else 0 end) as fulfilled_share
    from ranked_preferences(listed := 'repeated')
    where num_ret >= case $pairs when 'all' then 0 when 'implied' then 1 else 2 end
    group by evaluation_id, judgment_group
)
select
    evaluation_id,
    sum(case $unit when 'share' then fulfilled_share when 'group' then num_fulfilled / num_prefs else num_fulfilled end)
        as fulfilled_weight,
    sum(case $unit when 'share' then prefs_share when 'group' then 1 else num_prefs end) as total_weight
from by_group
where num_prefs > 0
group by evaluation_id

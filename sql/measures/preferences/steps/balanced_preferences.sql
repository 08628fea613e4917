-- title: Preferences of each judgment group, with as many documents not relevant as relevant; see prefs_group_r
-- parameters: pairs, ties in {rule, worst, best, expected} = rule
-- columns: evaluation_id, judgment_group
--   num_prefs        preferences that count
--   num_fulfilled    preferences that are fulfilled
--   is_open          whether the order of tied documents decides which preferences count
with group_levels as (
    select
        *,
        min(level) over (partition by qrels_id, topic_id, judgment_group) as lowest_level
    from judged_levels
),
group_documents as (
    select
        qrels_id,
        topic_id,
        judgment_group,
        has_subgroups,
        document_id,
        max(level) as level,
        case when has_subgroups then cast(0 as double) else lowest_level end as last_level
    from group_levels
    group by qrels_id, topic_id, judgment_group, has_subgroups, lowest_level, document_id
),
preference_documents as (
    -- The documents of each group with their ranks, null where they are not retrieved. The last level is what is cut to
    -- as many documents as are relevant. Names of a tie descend in rankings, and ascend here.
    select
        evaluations.evaluation_id as evaluation_id,
        group_documents.judgment_group as judgment_group,
        group_documents.has_subgroups as has_subgroups,
        group_documents.document_id as document_id,
        documents.document as document,
        group_documents.level > 0 as is_rel,
        group_documents.level = 0 or (group_documents.level < 0 and not group_documents.has_subgroups) as is_nonrel,
        group_documents.level = group_documents.last_level as is_last,
        judged_ranks.first_rank + judged_ranks.last_rank - judged_ranks.rank as rank,
        judged_ranks.first_rank as first_rank
    from asked_evaluations() as evaluations
    join group_documents using (qrels_id, topic_id)
    join documents on documents.document_id = group_documents.document_id
    left join asked_ranks() as judged_ranks
        on judged_ranks.evaluation_id = evaluations.evaluation_id
        and judged_ranks.document_id = group_documents.document_id
),
group_counts as (
    select
        evaluation_id,
        judgment_group,
        count(case when is_rel then 1 end) as num_rel,
        count(case when is_rel then rank end) as num_rel_ret,
        count(case when is_rel and ($pairs = 'all' or rank is not null) then 1 end)
            - count(case when is_nonrel and ($pairs = 'all' or rank is not null) then 1 end) as num_surplus
    from preference_documents
    group by evaluation_id, judgment_group
),
last_documents as (
    select
        preference_documents.evaluation_id as evaluation_id,
        preference_documents.judgment_group as judgment_group,
        preference_documents.has_subgroups as has_subgroups,
        preference_documents.document_id as document_id,
        preference_documents.rank as rank,
        case
            when $pairs = 'all' or preference_documents.has_subgroups then group_counts.num_rel
            else group_counts.num_rel_ret
        end as most_kept,
        row_number() over (
            partition by preference_documents.evaluation_id, preference_documents.judgment_group
            order by
                case when preference_documents.rank is null then 1 else 0 end,
                preference_documents.rank,
                preference_documents.document
        ) as rank_in_level,
        row_number() over (
            partition by
                preference_documents.evaluation_id,
                preference_documents.judgment_group,
                preference_documents.first_rank
            order by preference_documents.rank, preference_documents.document
        ) as number_in_tie,
        count(*) over (
            partition by
                preference_documents.evaluation_id,
                preference_documents.judgment_group,
                preference_documents.first_rank
        ) as num_tied
    from preference_documents
    join group_counts using (evaluation_id, judgment_group)
    where
        preference_documents.is_last
        and group_counts.num_surplus < 0
),
kept_preferences as (
    select
        ranked_preferences.evaluation_id as evaluation_id,
        ranked_preferences.judgment_group as judgment_group,
        case
            when ranked_preferences.tied_rank is null or $ties = 'rule'
            then case when ranked_preferences.is_fulfilled then cast(1 as double) else cast(0 as double) end
            when $ties = 'worst' then cast(0 as double)
            when $ties = 'best' then cast(1 as double)
            -- In a group of one subgroup it does not matter which of the tied last documents are kept: whichever is the
            -- n-th of them, the other document is above it with the same probability.
            when not worse.has_subgroups then worse.number_in_tie / (worse.num_tied + 1)
            else cast(0.5 as double)
        end as probability
    from ranked_preferences() as ranked_preferences
    left join last_documents as better
        on better.evaluation_id = ranked_preferences.evaluation_id
        and better.judgment_group = ranked_preferences.judgment_group
        and better.document_id = ranked_preferences.better_id
    left join last_documents as worse
        on worse.evaluation_id = ranked_preferences.evaluation_id
        and worse.judgment_group = ranked_preferences.judgment_group
        and worse.document_id = ranked_preferences.worse_id
    where
        ranked_preferences.num_ret >= case $pairs when 'all' then 0 else 2 end
        and (better.rank_in_level is null or better.rank_in_level <= better.most_kept)
        and (worse.rank_in_level is null or worse.rank_in_level <= worse.most_kept)
),
counts as (
    select
        evaluation_id,
        judgment_group,
        count(*) as num_prefs,
        sum(probability) as num_fulfilled
    from kept_preferences
    group by evaluation_id, judgment_group
    union all
    -- The preferences that are added where more documents are relevant than not.
    select
        evaluation_id,
        judgment_group,
        num_rel * greatest(num_surplus, 0) as num_prefs,
        num_rel_ret * greatest(num_surplus, 0) as num_fulfilled
    from group_counts
    union all
    -- Documents at the level that is cut, each compared with those that are kept: the n-th is above all but n.
    select
        evaluation_id,
        judgment_group,
        count(*) * count(case when rank_in_level <= most_kept then 1 end) as num_prefs,
        count(case when rank_in_level <= most_kept then rank end)
            * count(case when rank_in_level <= most_kept then 1 end)
            - coalesce(sum(case when rank_in_level <= most_kept and rank is not null then rank_in_level end), 0)
            as num_fulfilled
    from last_documents
    where
        not has_subgroups
        and ($pairs = 'all' or rank is not null)
    group by evaluation_id, judgment_group
),
sums as (
    select
        evaluation_id,
        judgment_group,
        sum(num_prefs) as num_prefs,
        sum(num_fulfilled) as num_fulfilled
    from counts
    group by evaluation_id, judgment_group
),
open_groups as (
    select distinct
        evaluation_id,
        judgment_group
    from last_documents
    where
        has_subgroups
        and rank is not null
        and rank_in_level - number_in_tie < most_kept
        and rank_in_level - number_in_tie + num_tied > most_kept
)
select
    sums.evaluation_id,
    sums.judgment_group,
    sums.num_prefs,
    sums.num_fulfilled,
    open_groups.evaluation_id is not null as is_open
from sums
left join open_groups using (evaluation_id, judgment_group)

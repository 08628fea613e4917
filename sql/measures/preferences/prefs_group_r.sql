-- measure: PrefsGroupR
-- title: Share of the preferences that are fulfilled, with as many documents not relevant as relevant
-- trec_eval: prefs_avgjg_Rnonrel
-- trec_eval: prefs_avgjg_Rnonrel_ret(pairs='retrieved')
-- ties: worst, best, expected = tied_prefs_group_r
-- parameters: pairs, ties
--   pairs varchar in {all, retrieved} = all   preferences that count: all; those with both documents retrieved
-- definition: For each judgment group the preferences fulfilled divided by those that count, and the mean of
--    that over the topic's groups; 0 if in any of them none counts. With R documents relevant (level above 0)
--    and N not, among those retrieved where pairs is retrieved, R (R - N) preferences that hold are added to a
--    group with R > N: a relevant document fulfils R - N of them if it is retrieved. With N > R, of the
--    documents at the lowest level only the first R count, those not retrieved coming last; in a group of one
--    subgroup each document there is then compared with each of these R as well, as if preferred to it.
-- reference: trec_eval 10.0, measure prefs_avgjg_Rnonrel
-- differs: From all measures but those of preferences: tied documents are in ascending order of their names.
--    So they are in trec_eval 9.0.8 and 10.0, to which this is equal, with the comparisons within the lowest
--    level, of which their help says nothing, and with 0 where a group has 0/0; but 9.0.8 has levels as 32-bit
--    floats, and where R is greater than the number of documents at a lowest level below 0, both read past the
--    end of these, while here all of them count.
-- range: 0 1
-- mean: arithmetic
-- holes: none, a hole may be preferred to any document or none
-- scores: no
-- example: preferences PrefsGroupR = 0.2784
with group_counts as (
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
        ) as rank_in_level
    from preference_documents
    join group_counts
        on group_counts.evaluation_id = preference_documents.evaluation_id
        and group_counts.judgment_group = preference_documents.judgment_group
    where
        preference_documents.is_last
        and group_counts.num_surplus < 0
),
kept_preferences as (
    select
        ranked_preferences.evaluation_id as evaluation_id,
        ranked_preferences.judgment_group as judgment_group,
        ranked_preferences.better_rank as better_rank,
        ranked_preferences.worse_rank as worse_rank
    from ranked_preferences
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
        count(
            case when better_rank is not null and (worse_rank is null or better_rank < worse_rank) then 1 end
        ) as num_fulfilled
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
averages as (
    select
        evaluation_id,
        case
            when min(num_prefs) = 0 then 0
            else avg(num_fulfilled / nullif(num_prefs, 0))
        end as value
    from sums
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(averages.value, 0) as value
from evaluated_topics
left join averages on averages.evaluation_id = evaluated_topics.evaluation_id

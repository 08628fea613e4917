-- measure: PrefsGroupR
-- title: Share of the preferences that are fulfilled, with as many documents not relevant as relevant
-- trec_eval: prefs_avgjg_Rnonrel
-- trec_eval: prefs_avgjg_Rnonrel_ret(pairs='retrieved')
-- parameters:
--   pairs varchar in {all, retrieved} = all   preferences that count: all; those with both documents retrieved
-- definition: For each judgment group the preferences fulfilled divided by those that count, and the mean of
--    that over the topic's groups; 0 if in any of them none counts. With R documents relevant (level above 0)
--    and N not, among those retrieved where pairs is retrieved, R (R - N) preferences that hold are added to a
--    group with R > N: a relevant document fulfils R - N of them if it is retrieved. With N > R, of the
--    documents at the lowest level only the first R count, those not retrieved coming last; in a group of one
--    subgroup each document there is then compared with each of these R as well, as if preferred to it.
-- reference: trec_eval 10.0, measure prefs_avgjg_Rnonrel
-- differs: Without ties: an order decides here which documents of the lowest level count as well, so that neither the
--    worst nor the best order is known, nor what is expected.
--    From all measures but those of preferences: tied documents are in ascending order of their names.
--    So they are in trec_eval 9.0.8 and 10.0, to which this is equal, with the comparisons within the lowest
--    level, of which their help says nothing, and with 0 where a group has 0/0; but 9.0.8 has levels as 32-bit
--    floats, and where R is greater than the number of documents at a lowest level below 0, both read past the
--    end of these, while here all of them count.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: preferences PrefsGroupR = 0.2784
with limits as (
    select
        evaluation_id,
        judgment_group,
        num_subgroups,
        num_rel,
        num_rel_ret,
        num_surplus,
        most_last
    from preference_limits(pairs := $pairs)
),
last_documents as (
    select
        limits.evaluation_id as evaluation_id,
        limits.judgment_group as judgment_group,
        limits.num_subgroups as num_subgroups,
        preference_last_places.document_id as document_id,
        preference_last_places.is_ret as is_ret,
        preference_last_places.place as place,
        preference_last_places.place <= limits.most_last as is_kept
    from limits
    join preference_last_places
        on preference_last_places.evaluation_id = limits.evaluation_id
        and preference_last_places.judgment_group = limits.judgment_group
    where limits.num_surplus < 0
),
kept_outcomes as (
    select
        preference_outcomes.evaluation_id as evaluation_id,
        preference_outcomes.judgment_group as judgment_group,
        count(*) as num_possible,
        sum(preference_outcomes.fulfilled) as num_fulfilled
    from preference_outcomes() as preference_outcomes
    left join last_documents as better
        on better.evaluation_id = preference_outcomes.evaluation_id
        and better.judgment_group = preference_outcomes.judgment_group
        and better.document_id = preference_outcomes.better_id
    left join last_documents as worse
        on worse.evaluation_id = preference_outcomes.evaluation_id
        and worse.judgment_group = preference_outcomes.judgment_group
        and worse.document_id = preference_outcomes.worse_id
    where
        coalesce(better.is_kept, true)
        and coalesce(worse.is_kept, true)
        and preference_outcomes.num_ret >= case $pairs when 'all' then 0 else 2 end
    group by preference_outcomes.evaluation_id, preference_outcomes.judgment_group
),
kept_counts as (
    select
        evaluation_id,
        judgment_group,
        count(*) as num_last,
        count(case when is_kept then 1 end) as num_kept,
        count(case when is_kept and is_ret then 1 end) as num_kept_ret
    from last_documents
    where num_subgroups = 1 and (is_ret or $pairs = 'all')
    group by evaluation_id, judgment_group
),
counts as (
    -- The n-th document kept is above num_kept - n others that are.
    select
        limits.evaluation_id as evaluation_id,
        limits.judgment_group as judgment_group,
        coalesce(kept_outcomes.num_possible, 0)
            + limits.num_rel * greatest(limits.num_surplus, 0)
            + coalesce(kept_counts.num_last * kept_counts.num_kept, 0) as num_possible,
        coalesce(kept_outcomes.num_fulfilled, 0)
            + limits.num_rel_ret * greatest(limits.num_surplus, 0)
            + coalesce(
                kept_counts.num_kept_ret * kept_counts.num_kept
                    - cast(kept_counts.num_kept_ret * (kept_counts.num_kept_ret + 1) as double) / 2,
                0
            ) as num_fulfilled
    from limits
    left join kept_outcomes
        on kept_outcomes.evaluation_id = limits.evaluation_id
        and kept_outcomes.judgment_group = limits.judgment_group
    left join kept_counts
        on kept_counts.evaluation_id = limits.evaluation_id
        and kept_counts.judgment_group = limits.judgment_group
),
averages as (
    select
        evaluation_id,
        case
            when min(num_possible) > 0
            then avg(cast(num_fulfilled as double) / nullif(num_possible, 0))
        end as value
    from counts
    group by evaluation_id
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    coalesce(averages.value, 0) as value
from evaluated
left join averages on averages.evaluation_id = evaluated.evaluation_id

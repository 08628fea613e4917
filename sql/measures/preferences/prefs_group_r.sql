-- measure: PrefsGroupR
-- title: Share of the preferences that are fulfilled, with as many documents not relevant as relevant
-- trec_eval: prefs_avgjg_Rnonrel
-- trec_eval: prefs_avgjg_Rnonrel_ret(pairs='retrieved')
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
-- scores: no
-- example: preferences PrefsGroupR = 0.2784
with last_documents as (
    select
        evaluation_id,
        judgment_group,
        num_subgroups,
        document_id,
        is_ret,
        is_kept,
        is_open,
        tied_share
    from preference_last_places(pairs := $pairs)
),
kept_outcomes as (
    -- In a group of one subgroup the tied documents of the lowest level stand for each other, so that what counts is
    -- the same in every order.
    select
        outcomes.evaluation_id as evaluation_id,
        outcomes.judgment_group as judgment_group,
        case
            when $ties = 'rule' or outcomes.tied_rank is null then outcomes.fulfilled
            when $ties = 'worst' then 0
            when $ties = 'best' then 1
            else coalesce(worse.tied_share, 0.5)
        end as fulfilled
    from preference_outcomes() as outcomes
    left join last_documents as better
        on better.evaluation_id = outcomes.evaluation_id
        and better.judgment_group = outcomes.judgment_group
        and better.document_id = outcomes.better_id
    left join last_documents as worse
        on worse.evaluation_id = outcomes.evaluation_id
        and worse.judgment_group = outcomes.judgment_group
        and worse.document_id = outcomes.worse_id
    where
        coalesce(better.is_kept, true)
        and coalesce(worse.is_kept, true)
        and outcomes.num_ret >= case $pairs when 'all' then 0 else 2 end
),
kept_sums as (
    select
        evaluation_id,
        judgment_group,
        count(*) as num_possible,
        sum(fulfilled) as num_fulfilled
    from kept_outcomes
    group by evaluation_id, judgment_group
),
last_counts as (
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
open_groups as (
    select distinct
        evaluation_id,
        judgment_group
    from last_documents
    where is_open and $ties <> 'rule'
),
disputes as (
    select evaluation_id
    from preference_disputes
    where $ties in ('worst', 'best')
),
counts as (
    -- The n-th document kept is above num_kept - n others that are.
    select
        limits.evaluation_id as evaluation_id,
        limits.judgment_group as judgment_group,
        open_groups.judgment_group is not null as is_open,
        coalesce(kept_sums.num_possible, 0)
            + limits.num_rel * greatest(limits.num_surplus, 0)
            + coalesce(last_counts.num_last * last_counts.num_kept, 0) as num_possible,
        coalesce(kept_sums.num_fulfilled, 0)
            + limits.num_rel_ret * greatest(limits.num_surplus, 0)
            + coalesce(
                last_counts.num_kept_ret * last_counts.num_kept
                    - cast(last_counts.num_kept_ret * (last_counts.num_kept_ret + 1) as double) / 2,
                0
            ) as num_fulfilled
    from preference_limits(pairs := $pairs) as limits
    left join kept_sums
        on kept_sums.evaluation_id = limits.evaluation_id
        and kept_sums.judgment_group = limits.judgment_group
    left join last_counts
        on last_counts.evaluation_id = limits.evaluation_id
        and last_counts.judgment_group = limits.judgment_group
    left join open_groups
        on open_groups.evaluation_id = limits.evaluation_id
        and open_groups.judgment_group = limits.judgment_group
),
averages as (
    select
        counts.evaluation_id as evaluation_id,
        case
            when min(case when not counts.is_open then counts.num_possible end) = 0 then 0
            when count(case when counts.is_open then 1 end) = 0 and count(disputes.evaluation_id) = 0
            then avg(cast(counts.num_fulfilled as double) / nullif(counts.num_possible, 0))
        end as value
    from counts
    left join disputes on disputes.evaluation_id = counts.evaluation_id
    group by counts.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case when averages.evaluation_id is null then 0 else averages.value end as value
from evaluated_topics
left join averages on averages.evaluation_id = evaluated_topics.evaluation_id

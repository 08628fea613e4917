-- title: The figures of a gate's rules with what is to be said of each: means, the test, and why a rule does not hold
-- inputs: gate_rules, gate_figures, gate_losses, board_drops
-- columns:
--   place    place of the rule
--   value    its figure, as gate_verdicts has it
--   p        one-sided p value before correction, of rules that test
--   passes   whether the rule holds
--   note     what is to be said; empty where that is nothing
--   figure   what the value is, in words
-- definition: gate_figures are rows of gate_verdicts, gate_losses of gate_drops. Topics and collections that are missing
--     are named up to five.
with lost as (
    select distinct
        measure,
        line
    from gate_losses
),
ruled as (
    select
        gate_rules.*,
        case when gate_rules.kind = 'test' then 'one-sided paired t test' end as test,
        gate_figures.value,
        gate_figures.p,
        gate_figures.passes,
        list_filter(
            [gate_figures.reference_mean, gate_figures.candidate_mean],
            lambda mean: mean is not null
        ) as means,
        coalesce(first_names(gate_figures.missing), '') as missing,
        case when gate_rules.kind in ('drop', 'board', 'collection') then 'both runs' else 'the run' end as runs
    from gate_rules
    join gate_figures using (place)
),
reasons as (
    select
        ruled.place,
        case
            when ruled.passes then null
            when ruled.place in (select place from board_drops where collection is not null)
                then (
                    select any_value(concat('largest drop: ', board_drops.collection))
                    from board_drops
                    where board_drops.place = ruled.place
                )
            when ruled.kind = 'documents' then 'the run has no documents for the topics of the judgments'
            when ruled.kind = 'missing' then concat('missing: ', ruled.missing)
            when ruled.kind = 'lacking' then concat('missing, where the baseline has values: ', ruled.missing)
            when ruled.kind = 'judged'
                then 'nothing retrieved is judged; are the ids of run and judgments the same?'
            when ruled.kind = 'kappa' and ruled.value is null
                then 'no document is judged by both sets, or all have one grade'
            when ruled.kind = 'topic' and ruled.value is null
                then concat(
                    'no relevant document of topic ', ruled.topic, ' is retrieved, or the judgments lack the topic'
                )
            when ruled.value is null and ruled.kind <> 'test' and ruled.cost is not null and ruled.statistic = 'total'
                then concat('such a number is known neither for ', ruled.runs, ' nor for every topic')
            when ruled.value is null and ruled.kind <> 'test' and ruled.cost is not null
                then concat(
                    'no topic has such a number of ', ruled.runs, '; total(', ruled.cost, ') is that of the whole run'
                )
            when ruled.value is null then 'there are too few topics to tell'
            when ruled.kind in ('drop', 'test', 'board', 'collection') then lost.line
        end as reason
    from ruled
    left join lost using (measure)
)
select
    ruled.place,
    ruled.value,
    ruled.p,
    ruled.passes,
    concat_ws(
        '; ',
        case
            when len(ruled.means) > 0
                then concat(
                    coalesce(nullif(ruled.statistic, ''), 'mean'), ' ',
                    array_to_string(list_transform(ruled.means, lambda mean: format('{:.4f}', mean)), ' to ')
                )
        end,
        case
            when len(ruled.means) > 0 and ruled.is_relative
                then concat('the ', ruled.word, ' is a share of the baseline''s')
        end,
        ruled.test,
        reasons.reason
    ) as note,
    coalesce('corrected p of a ' || ruled.test, 'value') as figure
from ruled
join reasons using (place)
order by ruled.place

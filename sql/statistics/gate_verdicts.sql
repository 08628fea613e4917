-- title: The figure of each rule of a gate beside its bound, and whether the rule holds
-- inputs: gate_rules, candidate_topics, baseline_topics, means, paired_means, first_ranks, tests, board_drops, kappas
-- parameters: candidate, reference, family
--   candidate varchar = null   run that is judged
--   reference varchar = null   run that it is compared with
-- columns:
--   place           place of the rule
--   value           its figure; null where there is none, and then the rule does not hold
--   p               one-sided p value before correction, of rules that test
--   passes          whether the rule holds
--   reference_mean  of rules that compare, the mean of the reference over the topics that both have
--   candidate_mean  of these, that of the run
--   missing         of rules that count them, the topics of the judgments or of the reference for which the run has no
--                   documents, or the collections on which it has no value
-- definition: By the rule's kind the figure is a mean, a drop of the mean from that of the reference over the topics
--     that both have, or as gate_board_drops has it over collections, of a relative rule as a share of the reference's
--     mean unless that is 0, the p value of a one-sided paired t test corrected by Holm over the rules that test by its
--     measure, or over all that test, the rank of a topic's first relevant document, Cohen's kappa of the judgments
--     with another set, or a count of documents, topics or collections. Figures up to 5e-13 from the bound are equal to it.
-- reference: Holm 1979
with missing_topics as (
    select topic
    from candidate_topics
    where missing
    union all
    select baseline_topics.topic
    from baseline_topics
    left join candidate_topics using (topic)
    where candidate_topics.topic is null
),
missing_collections as (
    select distinct unnest(lacking) as collection
    from board_drops
),
tested as (
    select
        gate_rules.place,
        case when $family = 'measure' then gate_rules.measure_name end as tested_with,
        case when gate_rules.less_is_better then tests.p_greater else tests.p_less end as p
    from gate_rules
    join tests using (measure)
    where
        gate_rules.kind = 'test'
        and tests.run = $candidate
        and coalesce(tests.note, '') <> 'one topic'
),
compared as (
    select
        gate_rules.place,
        before.value as reference_mean,
        after.value as candidate_mean,
        case when gate_rules.less_is_better then after.value - before.value else before.value - after.value end
            as loss
    from gate_rules
    join paired_means as before using (measure)
    join paired_means as after using (measure)
    where
        gate_rules.kind in ('drop', 'test')
        and before.run = $reference
        and after.run = $candidate
    union all
    select
        place,
        reference_mean,
        candidate_mean,
        value as loss
    from board_drops
),
ordered as (
    select
        tested.place,
        tested.p,
        tested.tested_with,
        (count(*) over with_it - row_number() over (with_it order by tested.p, tested.place) + 1) * tested.p as multiplied
    from tested
    window with_it as (partition by tested.tested_with)
),
figures as (
    select
        gate_rules.place,
        means.value,
        cast(null as double) as p
    from gate_rules
    join means using (measure)
    where
        gate_rules.kind = 'mean'
        and means.run = $candidate
    union all
    select
        gate_rules.place,
        case
            when gate_rules.is_relative
                then coalesce(compared.loss / nullif(abs(compared.reference_mean), 0), compared.loss)
            else compared.loss
        end as value,
        cast(null as double) as p
    from gate_rules
    join compared using (place)
    where gate_rules.kind in ('drop', 'board', 'collection')
    union all
    select
        ordered.place,
        least(1, max(ordered.multiplied) over (partition by ordered.tested_with order by ordered.p, ordered.place)) as value,
        ordered.p
    from ordered
    union all
    select
        gate_rules.place,
        first_ranks.rank as value,
        cast(null as double) as p
    from gate_rules
    join first_ranks using (topic)
    where gate_rules.kind = 'topic'
    union all
    select
        gate_rules.place,
        kappas.kappa as value,
        cast(null as double) as p
    from gate_rules
    join kappas on kappas.other = gate_rules.topic
    where gate_rules.kind = 'kappa'
    union all
    select
        gate_rules.place,
        case
            when gate_rules.kind = 'missing' then (select count(*) from missing_topics)
            when gate_rules.kind = 'lacking' then (select count(*) from missing_collections)
            when gate_rules.kind = 'documents'
                then (select coalesce(sum(candidate_topics.num_ret), 0) from candidate_topics)
            else (
                select count(*)
                from candidate_topics
                join judged_ranks using (evaluation_id)
            )
        end as value,
        cast(null as double) as p
    from gate_rules
    where gate_rules.kind in ('missing', 'lacking', 'documents', 'judged')
)
select
    gate_rules.place,
    cast(figures.value as double) as value,
    figures.p,
    coalesce(
        case gate_rules.comparison
            when '>=' then round(figures.value - gate_rules.bound, 12) >= 0
            when '>' then round(figures.value - gate_rules.bound, 12) > 0
            when '<=' then round(figures.value - gate_rules.bound, 12) <= 0
            when '<' then round(figures.value - gate_rules.bound, 12) < 0
        end,
        false
    ) as passes,
    compared.reference_mean,
    compared.candidate_mean,
    case gate_rules.kind
        when 'missing' then (select list(topic order by topic) from missing_topics)
        when 'lacking' then (select list(collection order by collection) from missing_collections)
    end as missing
from gate_rules
left join figures using (place)
left join compared using (place)
order by gate_rules.place

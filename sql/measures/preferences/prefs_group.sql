-- measure: PrefsGroup
-- title: Share of the preferences that are fulfilled, averaged over judgment groups
-- trec_eval: prefs_avgjg
-- trec_eval: prefs_avgjg_ret(pairs='retrieved')
-- trec_eval: prefs_avgjg_imp(pairs='implied')
-- parameters: pairs, ties
-- definition: For each judgment group of the topic the preferences fulfilled divided by those that count, 0
--    if there are none, and the mean of that over the groups. A preference is fulfilled where the document
--    preferred is retrieved and the other stands below it or is not retrieved.
-- reference: trec_eval 10.0, measure prefs_avgjg
-- differs: From all measures but those of preferences: tied documents are in ascending order of their names.
--    So they are in trec_eval 9.0.8 and 10.0, to which this is equal, but that 9.0.8 has levels as 32-bit floats.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: preferences PrefsGroup = 0.4206
with averages as (
    select
        evaluation_id,
        avg(coalesce(num_fulfilled / nullif(num_possible, 0), 0)) as value,
        count(*) as num_groups
    from preference_counts(pairs := $pairs, ties := $ties)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case
        when swings.evaluation_id is null then coalesce(averages.value, 0)
        -- Added up over pairs it may end a rounding outside of 0 and 1.
        when swings.swing is not null
        then least(greatest(averages.value + swings.swing / averages.num_groups, 0), 1)
    end as value
from evaluated_topics
left join averages on averages.evaluation_id = evaluated_topics.evaluation_id
left join preference_swings(pairs := $pairs, unit := 'group', ties := $ties) as swings
    on swings.evaluation_id = evaluated_topics.evaluation_id

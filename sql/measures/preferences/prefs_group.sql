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
-- holes: none, a hole may be preferred to any document or none
-- scores: no
-- example: preferences PrefsGroup = 0.4206
with group_counts as (
    select
        qrels_id,
        topic_id,
        count(distinct judgment_group) as num_groups
    from judged_levels
    group by qrels_id, topic_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case
        when weights.evaluation_id is null then 0
        -- Added up over preferences it may end a rounding outside of 0 and 1.
        when weights.fulfilled_weight is not null
        then least(greatest(weights.fulfilled_weight / group_counts.num_groups, 0), 1)
    end as value
from evaluated_topics
left join group_counts using (qrels_id, topic_id)
left join preference_counts(pairs := $pairs, unit := 'group', ties := $ties) as weights using (evaluation_id)

-- measure: PrefsSimple
-- title: Share of the preferences that are fulfilled
-- trec_eval: prefs_simp
-- trec_eval: prefs_simp_ret(pairs='retrieved')
-- trec_eval: prefs_simp_imp(pairs='implied')
-- parameters: pairs, ties
-- definition: Preferences fulfilled divided by those that count, over all judgment groups of the topic
--    together; 0 if there are none. A preference is fulfilled where the document preferred is retrieved and
--    the other stands below it or is not retrieved.
-- reference: trec_eval 10.0, measure prefs_simp
-- differs: From all measures but those of preferences: tied documents are in ascending order of their names.
--    So they are in trec_eval 9.0.8 and 10.0, to which this is equal, but that 9.0.8 has levels as 32-bit floats.
-- range: 0 1
-- mean: arithmetic
-- holes: none, a hole may be preferred to any document or none
-- scores: no
-- example: preferences PrefsSimple = 0.5387
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case when weights.evaluation_id is null then 0 else weights.fulfilled_weight / weights.total_weight end as value
from evaluated_topics
left join preference_counts(pairs := $pairs, unit := 'one', ties := $ties) as weights using (evaluation_id)

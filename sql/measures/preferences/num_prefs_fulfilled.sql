-- measure: NumPrefsFulfilled
-- title: Number of preferences fulfilled
-- trec_eval: prefs_num_prefs_ful
-- trec_eval: prefs_num_prefs_ful_ret(pairs='retrieved')
-- parameters: pairs, ties
--   pairs varchar in {all, retrieved} = all   preferences that count: all; those with both documents retrieved
-- definition: Preferences fulfilled, of all judgment groups of the topic, each group's counted by itself. A
--    preference is fulfilled where the document preferred is retrieved and the other stands below it or is
--    not retrieved. Summed over topics.
-- reference: trec_eval 10.0, measure prefs_num_prefs_ful
-- differs: From all measures but those of preferences: tied documents are in ascending order of their names.
--    So they are in trec_eval 9.0.8 and 10.0, to which this is equal, but that 9.0.8 has levels as 32-bit floats.
-- range: 0 inf
-- mean: sum
-- holes: none, a hole may be preferred to any document or none
-- scores: no
-- example: preferences NumPrefsFulfilled = 12
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case when weights.evaluation_id is null then 0 else weights.fulfilled_weight end as value
from evaluated_topics
left join preference_counts(pairs := $pairs, unit := 'one', ties := $ties) as weights using (evaluation_id)

-- measure: PrefsPair
-- title: Share of the judgment groups whose preference is fulfilled, averaged over pairs of documents
-- trec_eval: prefs_pair
-- trec_eval: prefs_pair_ret(pairs='retrieved')
-- trec_eval: prefs_pair_imp(pairs='implied')
-- parameters: pairs, ties
-- definition: For each two documents between which a group has a preference that counts, the groups whose
--    preference is fulfilled divided by the groups that have one, and the mean of that over such pairs; 0 if
--    there are none. A preference is fulfilled where the document preferred is retrieved and the other stands
--    below it or is not retrieved.
-- reference: trec_eval 10.0, measure prefs_pair
-- differs: From all measures but those of preferences: tied documents are in ascending order of their names.
--    So they are in trec_eval 9.0.8 and 10.0, to which this is equal, but that 9.0.8 has levels as 32-bit floats.
-- range: 0 1
-- mean: arithmetic
-- holes: none, a hole may be preferred to any document or none
-- scores: no
-- example: preferences PrefsPair = 0.5406
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case when weights.evaluation_id is null then 0 else weights.fulfilled_weight / weights.total_weight end as value
from evaluated_topics
left join preference_counts(pairs := $pairs, unit := 'share', ties := $ties) as weights using (evaluation_id)

-- measure: NumPrefs
-- title: Number of preferences
-- trec_eval: prefs_num_prefs_poss
-- definition: Preferences of all judgment groups of the topic, each group's counted by itself. Summed over
--    topics.
-- reference: trec_eval 10.0, measure prefs_num_prefs_poss
-- differs: From trec_eval 9.0.8, which with -c counts no preferences of a topic that the run leaves out, and
--    has levels as 32-bit floats; equal to 10.0.
-- range: 0 inf
-- mean: sum
-- holes: none, a hole may be preferred to any document or none
-- scores: no
-- example: preferences NumPrefs = 21
with counts as (
    select
        qrels_id,
        topic_id,
        count(*) as num_prefs
    from preference_pairs()
    group by qrels_id, topic_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cast(coalesce(counts.num_prefs, 0) as double) as value
from evaluated_topics
left join counts using (qrels_id, topic_id)

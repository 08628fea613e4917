-- measure: PrefsSimple
-- title: Share of the preferences that are fulfilled
-- trec_eval: prefs_simp
-- trec_eval: prefs_simp_ret(pairs='retrieved')
-- trec_eval: prefs_simp_imp(pairs='implied')
-- parameters:
--   pairs varchar in {all, implied, retrieved} = all   preferences that count: all; those with a document
--                                                      retrieved; those with both retrieved
--   ties varchar in {rule, expected} = rule   order of tied documents: the tie rule's, or
--                                             what is expected over all orders; the worst and the
--                                             best have no closed form where groups disagree
-- definition: Preferences fulfilled divided by those that count, over all judgment groups of the topic
--    together; 0 if there are none. A preference is fulfilled where the document preferred is retrieved and
--    the other stands below it or is not retrieved.
-- reference: trec_eval 10.0, measure prefs_simp
-- differs: From all measures but those of preferences: tied documents are in ascending order of their names.
--    So they are in trec_eval 9.0.8 and 10.0, to which this is equal, but that 9.0.8 has levels as 32-bit floats.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: preferences PrefsSimple = 0.5387
with totals as (
    select
        evaluation_id,
        sum(num_possible) as num_possible,
        sum(num_fulfilled) as num_fulfilled
    from preference_counts(pairs := $pairs, ties := $ties)
    group by evaluation_id
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    coalesce(totals.num_fulfilled / nullif(totals.num_possible, 0), 0) as value
from evaluated
left join totals on totals.evaluation_id = evaluated.evaluation_id

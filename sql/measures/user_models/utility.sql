-- measure: Utility
-- title: Utility of the whole ranking as a set
-- trec_eval: utility.found,false_alarm,missed,rejected
-- parameters:
--   found double = 1              worth of a relevant document retrieved
--   false_alarm double = -1       worth of another document retrieved
--   missed double = 0             worth of a relevant document not retrieved
--   rejected double = 0           worth of another document not retrieved
--   collection integer = 0        number of documents in the collection, for the last of these
--   rel integer in [0, inf) = 1     least grade that counts as relevant
-- definition: found * r + false_alarm * (n - r) + missed * (R - r) + rejected * (collection + r - n - R), where r of the n
--    documents retrieved are relevant, and R in all.
-- reference: Hull 1997, The TREC-6 filtering track: description and analysis
-- differs: Equal to trec_eval, whose -N gives the collection; where a topic is left out 9.0.8 adds 0, and 10.0 -c 0 or,
--    with parameters, the value of a ranking with one unjudged document. Here it is the value of an empty ranking.
-- range: -inf inf
-- mean: arithmetic
-- scores: no
-- example: mixed Utility = -1
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    $found * coalesce(relevant_counts.num_rel_ret, 0)
    + $false_alarm * (evaluated.num_ret - coalesce(relevant_counts.num_rel_ret, 0))
    + $missed * (topic_facts.num_rel - coalesce(relevant_counts.num_rel_ret, 0))
    + $rejected * (
        $collection + coalesce(relevant_counts.num_rel_ret, 0) - evaluated.num_ret - topic_facts.num_rel
    ) as value
from evaluated
join topic_facts(rel := $rel) as topic_facts
    on topic_facts.qrels_id = evaluated.qrels_id
    and topic_facts.topic_id = evaluated.topic_id
left join relevant_counts(rel := $rel) as relevant_counts
    on relevant_counts.evaluation_id = evaluated.evaluation_id

-- measure: Utility
-- title: Utility of the whole ranking as a set
-- trec_eval: utility.found,false_alarm,missed,rejected
-- parameters: found, false_alarm, missed, rejected, collection, rel
--   found double = 1              worth of a relevant document retrieved
--   false_alarm double = -1       worth of another document retrieved
--   missed double = 0             worth of a relevant document not retrieved
--   rejected double = 0           worth of another document not retrieved
--   collection integer = 0        number of documents in the collection, for the last of these
-- definition: found * r + false_alarm * (n - r) + missed * (R - r) + rejected * (collection + r - n - R), where r of
--    the n documents retrieved are relevant, and R in all.
-- reference: Hull 1997, The TREC-6 filtering track: description and analysis
-- differs: Equal to trec_eval, whose -N gives the collection; where a topic is left out 9.0.8 adds 0, and 10.0 -c 0 or,
--    with parameters, the value of a ranking with one unjudged document. Here it is the value of an empty ranking.
-- range: -inf inf
-- mean: arithmetic
-- holes: utility_bounds
-- scores: no
-- example: mixed Utility = -1
with relevant as (
    select
        evaluation_id,
        count(*) as num_rel_ret
    from asked_ranks()
    where grade >= $rel
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    $found * coalesce(relevant.num_rel_ret, 0)
    + $false_alarm * (evaluated_topics.num_ret - coalesce(relevant.num_rel_ret, 0))
    + $missed * (topic_counts.num_rel - coalesce(relevant.num_rel_ret, 0))
    + $rejected * (
        $collection + coalesce(relevant.num_rel_ret, 0) - evaluated_topics.num_ret - topic_counts.num_rel
    ) as value
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
left join relevant using (evaluation_id)

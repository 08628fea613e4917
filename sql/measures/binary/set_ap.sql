-- measure: SetAP
-- title: Precision times recall of the whole ranking as a set
-- trec_eval: set_map
-- parameters: rel, judged_only
-- definition: r^2 / (n * R), r of the n documents retrieved being relevant and R relevant in all; 0 if n or R is 0.
-- reference: Buckley, trec_eval, measure set_map
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0 and to ir_measures' SetAP.
-- range: 0 1
-- mean: arithmetic
-- holes: set_ap_bounds
-- scores: no
-- example: mixed SetAP = 0.0741
with found as (
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
    coalesce(
        cast(found.num_rel_ret as double) * found.num_rel_ret
            / nullif(cast(retrieved_counts.num_ret as double) * topic_counts.num_rel, 0),
        0
    ) as value
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
left join retrieved_counts(judged_only := $judged_only) as retrieved_counts using (evaluation_id)
left join found using (evaluation_id)

-- measure: YAAP
-- title: Average precision on a scale of odds
-- trec_eval: yaap
-- parameters: rel, judged_only, ties in {rule, worst, best}
-- definition: ln((1 + S) / (1 + R - S)), S being the sum of the precision at each relevant document and R the number of
--    relevant documents.
-- reference: Robertson 2012, On smoothing average precision, doi:10.1007/978-3-642-28997-2_14
-- differs: A topic that the run leaves out has -ln(1 + R), as in trec_eval 10; trec_eval 9 -c adds 0 for it.
-- range: -inf inf
-- mean: arithmetic
-- holes: yaap_bounds
-- scores: no
-- example: mixed YAAP = -0.3942
with precisions as (
    select
        evaluation_id,
        fsum(relevant_rank / rank) as total
    from relevant_ranks(rel := $rel, judged_only := $judged_only, ties := $ties)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    ln(
        (1 + coalesce(precisions.total, 0))
        / (cast(1 as double) + topic_counts.num_rel - coalesce(precisions.total, 0))
    ) as value
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
left join precisions using (evaluation_id)

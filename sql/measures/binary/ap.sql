-- measure: AP
-- title: Average precision
-- aliases: MAP
-- trec_eval: map
-- trec_eval: map_cut.k = 5,10,15,20,30,100,200,500,1000
-- parameters: k, rel, judged_only, ties
-- definition: Sum of the precision at each relevant document among the first k, divided by the number of
--    relevant documents of the topic, retrieved or not; 0 if it has none.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.4
-- differs: The divisor is the same at each cutoff, as in trec_eval's map_cut. Programs that divide by the smaller of k
--    and the number of relevant documents give more where k is the smaller. Fractions are added without loss, and in
--    trec_eval from the first rank on: some 40 topics of a million, of a true value that ends in a half of the last
--    digit printed, may be printed with another one by all commands but evalsql trec_eval.
-- range: 0 1
-- mean: arithmetic
-- holes: ap_bounds
-- example: single-value-1 AP = 0.29
with precisions as (
    select
        evaluation_id,
        cutoffs.last_rank,
        -- The share is 1, but for what is expected over all orders of tied documents.
        fsum(share * relevant_rank / rank) as total
    from relevant_ranks(rel := $rel, judged_only := $judged_only, ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(precisions.total / nullif(topic_counts.num_rel, 0), 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
left join precisions using (evaluation_id, last_rank)

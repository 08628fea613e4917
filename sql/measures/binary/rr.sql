-- measure: RR
-- title: Reciprocal rank of the first relevant document
-- aliases: MRR
-- trec_eval: recip_rank
-- parameters: k, rel, judged_only, ties
-- definition: 1 / r, r being the rank of the first relevant document; 0 if none is among the first k.
-- reference: Voorhees 1999, The TREC-8 Question Answering Track Report
-- differs: ir_measures takes RR with a cutoff from a provider that breaks ties by document id ascending. Here the tie
--    rule of the run holds with a cutoff and without.
-- range: 0 1
-- mean: arithmetic
-- holes: filled_ranks to k, first found
-- example: single-value-2 RR = 0.33
with reciprocal_ranks as (
    select
        evaluation_id,
        cutoffs.last_rank,
        -- One row with the share 1; or the ranks at which the first may stand, each with its probability.
        fsum(share / rank) as total
    from first_relevant(rel := $rel, judged_only := $judged_only, ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(reciprocal_ranks.total, 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join reciprocal_ranks using (evaluation_id, last_rank)

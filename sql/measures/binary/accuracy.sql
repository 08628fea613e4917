-- measure: Accuracy
-- title: How likely a relevant document stands before one that is not, among those retrieved
-- ties: worst, best, expected = tied_accuracy
-- parameters: k, rel, ties
-- columns:
--   num_pairs   pairs of a relevant document and another one among the first k
-- definition: Of the pairs of a relevant document and another one among the first k, the share in which the
--    relevant one stands first; 1 if all are relevant, 0 if none is.
-- reference: MacAvaney, Macdonald and Ounis 2022, Streamlining evaluation with ir-measures,
--    doi:10.1007/978-3-030-99739-7_38
-- differs: ir_measures leaves topics without a relevant document retrieved out of the mean, where this counts them
--    with 0, and divides by 0 where all are relevant.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it compares relevant documents with others, and a hole may count on either side
-- scores: no
-- example: user-models Accuracy = 0.8333
-- example: user-models Accuracy@2 = 1
with misordered as (
    -- Of the documents above a relevant one, rank - relevant_rank are others.
    select
        evaluation_id,
        cutoffs.last_rank,
        count(*) as num_rel,
        sum(rank - relevant_rank) as num_misordered
    from relevant_ranks(rel := $rel)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
),
pairs as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        misordered.last_rank,
        misordered.num_misordered,
        cast(misordered.num_rel as double) * (
            least(misordered.last_rank, evaluated_topics.num_ret) - misordered.num_rel
        ) as num_pairs
    from evaluated_topics
    join misordered using (evaluation_id)
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    case
        when pairs.num_pairs is null then 0
        when pairs.num_pairs = 0 then 1
        else 1 - pairs.num_misordered / pairs.num_pairs
    end as value,
    coalesce(pairs.num_pairs, 0) as num_pairs
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join pairs using (evaluation_id, last_rank)

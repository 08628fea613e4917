-- measure: Accuracy
-- title: How likely a relevant document stands before one that is not, among those retrieved
-- parameters:
--   k integer in [1, inf) = null    rank cutoff; null is the whole ranking
--   rel integer in [0, inf) = 1     least grade that counts as relevant
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
-- scores: no
-- example: user-models Accuracy = 0.8333
-- example: user-models Accuracy@2 = 1
with found as (
    select
        evaluation_id,
        count(*) as num_rel_ret,
        sum(rank - nth) as num_wrong
    from relevant_ranks(rel := $rel)
    where rank <= coalesce($k, rank)
    group by evaluation_id
),
pairs as (
    select
        evaluated.evaluation_id as evaluation_id,
        found.num_wrong,
        found.num_rel_ret
            * (least(coalesce($k, evaluated.num_ret), evaluated.num_ret) - found.num_rel_ret) as num_pairs
    from evaluated
    join found on found.evaluation_id = evaluated.evaluation_id
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    case
        when pairs.num_pairs is null then 0
        else 1 - coalesce(cast(pairs.num_wrong as double) / nullif(pairs.num_pairs, 0), 0)
    end as value,
    cast(coalesce(pairs.num_pairs, 0) as double) as num_pairs
from evaluated
left join pairs on pairs.evaluation_id = evaluated.evaluation_id

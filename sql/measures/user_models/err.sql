-- measure: ERR
-- title: Expected reciprocal rank
-- ties: expected = expected_err
-- parameters: k, max_rel, judged_only, ties
--   max_rel integer? in [1, 1000] = 4        greatest grade there is, greater ones count as it; null is the
--                                            greatest of the judgment set
-- definition: Sum over the first k of R / rank times the product of 1 - R over the documents above, R = (2^grade -
--    1) / 2^max_rel being how likely a document satisfies the reader, who then stops. Unjudged documents and
--    negative grades have R = 0.
-- reference: Chapelle, Metzler, Zhang and Grinspan 2009, Expected reciprocal rank for graded relevance,
--    doi:10.1145/1645953.1646033
-- differs: Equal to gdeval.pl and so to ir_measures, which take max_rel = 4 for everything, refuse greater grades
--    and topics that are no numbers, and round to 5 decimals.
-- range: 0 1
-- mean: arithmetic
-- holes: filled_ranks to k, stops
-- scores: no
-- example: user-models ERR(max_rel=2) = 0.4375
-- example: user-models ERR(max_rel=2)@2 = 0.25
with stops as (
    -- The reader goes past all documents above with the product of 1 - R, and stops at this one with R.
    select
        evaluations.evaluation_id as evaluation_id,
        ordered_ranks.rank as rank,
        satisfactions.satisfaction * coalesce(
            product(1 - satisfactions.satisfaction) over (
                partition by evaluations.evaluation_id
                order by ordered_ranks.rank
                rows between unbounded preceding and 1 preceding
            ),
            1
        ) as probability
    from asked_evaluations() as evaluations
    join ordered_ranks(judged_only := $judged_only, ties := $ties) as ordered_ranks using (evaluation_id)
    join satisfactions(max_rel := $max_rel) as satisfactions
        on satisfactions.qrels_id = evaluations.qrels_id
        and satisfactions.grade = ordered_ranks.grade
    where ordered_ranks.rank <= (select max(cutoffs.last_rank) from cutoffs(k := $k) as cutoffs)
),
reciprocal_ranks as (
    select
        stops.evaluation_id,
        cutoffs.last_rank,
        fsum(stops.probability / stops.rank) as expected
    from stops
    join cutoffs(k := $k) as cutoffs on stops.rank <= cutoffs.last_rank
    group by stops.evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(reciprocal_ranks.expected, 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join reciprocal_ranks using (evaluation_id, last_rank)

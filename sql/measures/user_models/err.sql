-- measure: ERR
-- title: Expected reciprocal rank
-- parameters: k, max_rel, ties
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
-- scores: no
-- example: user-models ERR(max_rel=2) = 0.4375
-- example: user-models ERR(max_rel=2)@2 = 0.25
with stops as (
    select
        evaluation_id,
        last_place as rank,
        patience * gain as chance
    from gain_stretches(dcg := 'exp-log2', max_rel := $max_rel, depth := $k, ties := $ties)
    where
        gain > 0
        and $ties <> 'expected'
    union all
    select
        evaluation_id,
        rank,
        chance
    from err_stop_probabilities(max_rel := $max_rel, depth := $k)
    where $ties = 'expected'
),
found as (
    select
        evaluation_id,
        sum(chance / rank) as total
    from stops
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(found.total, 0) as value
from evaluated_topics
left join found on found.evaluation_id = evaluated_topics.evaluation_id

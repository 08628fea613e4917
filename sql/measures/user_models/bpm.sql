-- measure: BPM
-- title: Bejeweled player model: the reader stops once there is enough gain, at the latest at the cutoff
-- parameters: t, k, min_rel, max_rel
--   t double in (0, 1e9] = 1                 gain that the reader wants in all
--   k integer in [1, inf) = 10               place at which the reader stops in any case
-- columns:
--   expected_items           documents that the reader is expected to look at
--   expected_total_utility   gain expected from them
-- definition: Sum of the gains down to the first place where it reaches t, or down to k, divided by the number of
--    places down to there. The gain is (grade - min_rel) / (max_rel - min_rel), between 0 and 1.
-- reference: Zhang, Liu, Li, Zhang, Xu and Ma 2017, Evaluating web search with a bejeweled player model,
--    doi:10.1145/3077136.3080841, the static form
-- differs: Equal to cwl_eval and ir_measures, which demand max_rel and a cutoff, cut at place 1000, and add gains
--    of which each is rounded: six of a third fall short of 2 there. Without ties: no value over all orders is
--    known in closed form.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: user-models BPM@4 = 0.5
with met as (
    select
        evaluation_id,
        max(last_place) as items,
        max(gain_above + gain) as gained
    from gain_stretches(min_rel := $min_rel, max_rel := $max_rel, depth := $k)
    where gain_above < $t
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    met.gained / met.items as value,
    met.items as expected_items,
    met.gained as expected_total_utility
from evaluated_topics
join met on met.evaluation_id = evaluated_topics.evaluation_id

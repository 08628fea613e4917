-- measure: BPM
-- title: Bejeweled player model: the reader stops once there is enough gain, at the latest at the cutoff
-- parameters: t, k, min_rel, max_rel
--   t double in (0, 1e9] = 1                 gain that the reader wants in all
--   k integer in [1, inf) = 10               rank at which the reader stops in any case
-- columns: expected_items, expected_total_utility
-- definition: Sum of the gains down to the first rank where it reaches t, or down to k, divided by the number of
--    ranks down to there. The gain is (grade - min_rel) / (max_rel - min_rel), between 0 and 1.
-- reference: Zhang, Liu, Li, Zhang, Xu and Ma 2017, Evaluating web search with a bejeweled player model,
--    doi:10.1145/3077136.3080841, the static form
-- differs: Equal to cwl_eval and ir_measures, which demand max_rel and a cutoff, cut at rank 1000, and add gains
--    of which each is rounded: six of a third fall short of 2 there. Without ties: no value over all orders is
--    known in closed form.
-- range: 0 1
-- mean: arithmetic
-- holes: none, the reader stops at the wanted gain, so that a higher grade can lower the value
-- scores: no
-- example: user-models BPM@4 = 0.5
with totals as (
    select
        evaluation_id,
        rank,
        sum(gain) over (
            partition by evaluation_id
            order by rank
            rows between unbounded preceding and current row
        ) as total
    from scaled_gains(min_rel := $min_rel, max_rel := $max_rel)
    where rank <= (select max(cutoffs.last_rank) from cutoffs(k := $k) as cutoffs)
),
stops as (
    -- The factor forgives gains without an exact binary form: three of a third are 1.
    select
        totals.evaluation_id,
        cutoffs.last_rank,
        min(case when totals.total >= $t * (1 - 1e-12) then totals.rank end) as rank,
        coalesce(min(case when totals.total >= $t * (1 - 1e-12) then totals.total end), max(totals.total)) as total
    from totals
    join cutoffs(k := $k) as cutoffs on totals.rank <= cutoffs.last_rank
    group by totals.evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(stops.total / coalesce(stops.rank, cutoffs.k), 0) as value,
    coalesce(stops.rank, cutoffs.k) as expected_items,
    coalesce(stops.total, 0) as expected_total_utility
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join stops using (evaluation_id, last_rank)

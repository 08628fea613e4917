-- measure: SDCG
-- title: Scaled discounted cumulative gain
-- parameters: k, dcg, min_rel, max_rel, ties
--   k integer in [1, inf) = 10               rank cutoff
--   dcg varchar in {log2} = log2             gain by grade: log2 takes the grade
-- definition: Sum of gain / log2(rank + 1) over the first k, divided by what k documents of gain 1 would have. The
--    gain is (grade - min_rel) / (max_rel - min_rel), between 0 and 1.
-- reference: Jarvelin and Kekalainen 2002, Cumulated gain-based evaluation of IR techniques,
--    doi:10.1145/582415.582418; as a measure of the C/W/L framework Moffat, Bailey, Scholer and Thomas 2017,
--    Incorporating user expectations and behavior into the measurement of search effectiveness,
--    doi:10.1145/3052768
-- differs: Equal to cwl_eval and ir_measures down to rank 1000, where they cut; they demand max_rel and a cutoff.
-- range: 0 1
-- mean: arithmetic
-- holes: filled_ranks to k, added up
-- scores: no
-- example: user-models SDCG@4 = 0.3904
with dcgs as (
    select
        evaluation_id,
        cutoffs.k,
        fsum(gain / log2(rank + 1)) as total
    from scaled_gains(min_rel := $min_rel, max_rel := $max_rel, ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    where $dcg = 'log2'
    group by evaluation_id, cutoffs.k
),
greatest_dcgs as (
    select
        last_rank as k,
        sum(1 / log2(rank + 1)) as total
    from ranks_to_k(k := $k)
    group by last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    greatest_dcgs.k,
    coalesce(dcgs.total / greatest_dcgs.total, 0) as value
from evaluated_topics
cross join greatest_dcgs
left join dcgs using (evaluation_id, k)

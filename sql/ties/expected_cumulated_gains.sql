-- title: What cumulated_gains is expected to give over all orders of tied documents
-- definition: Each of the tie's documents stands at each of its ranks with the same probability. Beside a document with
--    a gain the others of the tie are spread evenly over the remaining ranks.
-- parameters: gains
-- columns: evaluation_id
--   rank             a rank of the tie
--   gained_rank      documents with a gain down to it, counted as 0 in the orders in which none stands there
--   cumulated_gain   sum of their gains, counted alike
--   last_rank        last rank of the tie
--   num_gained       documents in it with a gain above 0
--   total_gain       sum of their gains
--   gained_above     documents with a gain above 0 above the tie
with tied as (
    select
        judged_ranks.evaluation_id,
        judged_ranks.first_rank,
        judged_ranks.last_rank,
        count(*) as num_gained,
        sum(grade_gains.gain) as total_gain
    from asked_ranks() as judged_ranks
    join grade_gains(gains := $gains) as grade_gains using (grade)
    where grade_gains.gain > 0
    group by judged_ranks.evaluation_id, judged_ranks.first_rank, judged_ranks.last_rank
),
counted as (
    select
        *,
        coalesce(sum(num_gained) over above, 0) as gained_above,
        coalesce(sum(total_gain) over above, 0) as gain_above
    from tied
    window above as (
        partition by evaluation_id
        order by first_rank
        rows between unbounded preceding and 1 preceding
    )
)
select
    counted.evaluation_id,
    tie_ranks.rank,
    counted.num_gained
        * (counted.gained_above + 1 + tie_ranks.part_above * (counted.num_gained - 1))
        / tie_ranks.size as gained_rank,
    (
        counted.num_gained * counted.gain_above
            + counted.total_gain * (1 + tie_ranks.part_above * (counted.num_gained - 1))
    ) / tie_ranks.size as cumulated_gain,
    counted.last_rank,
    counted.num_gained,
    counted.total_gain,
    counted.gained_above
from counted
join tie_ranks() as tie_ranks using (first_rank, last_rank)

-- title: What cumulated_gains is expected to give over all orders of tied documents
-- definition: Each of the tie's documents stands at each of its ranks with the same probability. Beside a document with
--    a gain the others of the tie are spread evenly over the remaining ranks.
-- parameters: gains
-- columns: evaluation_id
--   rank             a rank of the tie
--   gained_rank      documents with a gain down to it, counted as 0 in the orders in which none stands there
--   cumulated_gain   sum of their gains, counted alike
select
    evaluation_id,
    rank,
    num_gained * (gained_above + 1 + part_above * (num_gained - 1)) / size as gained_rank,
    (num_gained * gain_above + total_gain * (1 + part_above * (num_gained - 1))) / size as cumulated_gain
from gain_tie_ranks(gains := $gains)

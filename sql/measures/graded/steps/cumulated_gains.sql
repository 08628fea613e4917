-- title: What has been gained down to each document retrieved that has a gain
-- ties: expected = expected_cumulated_gains
-- parameters: gains, ties
-- columns: evaluation_id
--   rank             rank of a document with a gain above 0
--   gained_rank      documents with a gain down to it
--   cumulated_gain   sum of their gains
select
    evaluation_id,
    rank,
    row_number() over down as gained_rank,
    sum(gain) over down as cumulated_gain
from gains_by_rank(gains := $gains, ties := $ties)
where gain > 0
window down as (
    partition by evaluation_id
    order by rank
    rows between unbounded preceding and current row
)

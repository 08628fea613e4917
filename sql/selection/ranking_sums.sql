-- title: Rankings in sums: how many documents, and what their ranks add up to
-- parameters:
--   first_run integer in [0, inf) = 0   key of the first run to look at; runs get rising keys
-- columns: run_id, topic_id
--   num_rows           documents of the ranking
--   least              least rank
--   greatest           greatest rank
--   total              sum of the ranks
--   total_of_squares   sum of their squares
-- definition: Audits of rankings go by these, so that each load reads its rankings once for all of them.
select
    run_id,
    topic_id,
    count(*) as num_rows,
    min(rank) as least,
    max(rank) as greatest,
    sum(rank) as total,
    sum(cast(rank as bigint) * rank) as total_of_squares
from retrieved
where run_id >= $first_run
group by run_id, topic_id

-- title: Rankings whose ranks are not 1 to the number of their documents
-- quick: yes
-- parameters: first_run
-- columns:
--   finding    what is wrong, and where
--   num_rows   documents of the ranking
-- definition: The ranks of a run for a topic are the whole numbers from 1 on. Their least and greatest, their
--    sum and the sum of their squares tell that without sorting; rank_order compares each with the one above.
with ranking_sums as (
    select
        run_id,
        topic_id,
        count(*) as num_rows,
        cast(count(*) as hugeint) as length,
        min(rank) as least,
        max(rank) as greatest,
        sum(rank) as total,
        sum(cast(rank as bigint) * rank) as total_of_squares
    from retrieved
    where run_id >= $first_run
    group by run_id, topic_id
)
select
    concat(
        'run ', coalesce(runs.run, concat('#', ranking_sums.run_id)),
        ', topic ', coalesce(topics.topic, concat('#', ranking_sums.topic_id)),
        ': the ranks are not 1 to ', ranking_sums.num_rows
    ) as finding,
    ranking_sums.num_rows
from ranking_sums
left join runs on runs.run_id = ranking_sums.run_id
left join topics on topics.topic_id = ranking_sums.topic_id
where
    ranking_sums.least <> 1
    or ranking_sums.greatest <> ranking_sums.num_rows
    or 2 * ranking_sums.total <> ranking_sums.length * (ranking_sums.length + 1)
    or 6 * ranking_sums.total_of_squares
    <> ranking_sums.length * (ranking_sums.length + 1) * (2 * ranking_sums.length + 1)

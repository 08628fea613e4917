-- title: Rankings whose ranks are not 1 to the number of their documents
-- quick: yes
-- inputs: ranking_sums
-- columns: finding
--   num_rows   documents of the ranking
-- definition: The ranks of a run for a topic are the whole numbers from 1 on. Their least and greatest, their
--    sum and the sum of their squares tell that without sorting; rank_order compares each with the one above.
with measured as (
    select
        run_id,
        topic_id,
        num_rows,
        cast(num_rows as hugeint) as length,
        least,
        greatest,
        total,
        total_of_squares
    from ranking_sums
)
select
    concat(
        'run ', coalesce(runs.run, concat('#', measured.run_id)),
        ', topic ', coalesce(topics.topic, concat('#', measured.topic_id)),
        ': the ranks are not 1 to ', measured.num_rows
    ) as finding,
    measured.num_rows
from measured
left join runs using (run_id)
left join topics on topics.topic_id = measured.topic_id
where
    measured.least <> 1
    or measured.greatest <> measured.num_rows
    or 2 * measured.total <> measured.length * (measured.length + 1)
    or 6 * measured.total_of_squares
    <> measured.length * (measured.length + 1) * (2 * measured.length + 1)

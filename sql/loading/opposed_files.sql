-- title: Files in whose first rows nearly all scores get worse where the ranks say that they get better
-- inputs: first_rows
-- parameters:
--   lower_is_better boolean = false   whether smaller scores are better
-- columns: file_id
with steps as (
    select
        file_id,
        topic = lead(topic) over places as is_followed,
        lead(rank) over places - rank as step,
        lead(score) over places - score as gain
    from first_rows
    where
        isfinite(rank)
        and isfinite(score)
    window places as (partition by file_id order by line)
),
compared as (
    select
        file_id,
        step * gain * case when $lower_is_better then -1 else 1 end as change,
        -- Scores that count up as ranks do, beside ranks that do not count.
        gain = 1 and abs(step) not in (0, 1) as is_exchanged
    from steps
    where is_followed
)
select file_id
from compared
where
    change <> 0
    or is_exchanged
group by file_id
having count(*) filter (change > 0 or is_exchanged) > 0.9 * count(*)

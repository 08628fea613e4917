-- title: Every pair of runs by every measure with the paired t test's p value
-- inputs: found_differences
-- columns:
--   measure      canonical name of the measure
--   baseline     run compared with
--   run          run compared
--   num_topics   topics that both have a value for
--   difference   mean difference
--   half_width   how far the interval at 95% goes to either side of it; null for one topic
--   p            two-sided p value, as t_tests has it
--   wins         topics where the value of the run is greater
--   ties         topics where they are equal
--   losses       topics where the value of the baseline is greater
-- definition: The columns of differences and of t_tests, from rows of differences that are kept: for all pairs of many
--     runs these take most of the time.
select
    measure,
    baseline,
    run,
    num_topics,
    difference,
    high - difference as half_width,
    case
        when deviation > 0 then student_p(difference / deviation * sqrt(num_topics), num_topics - 1)
        when note = 'constant difference' then 0
        else 1
    end as p,
    wins,
    ties,
    losses
from found_differences

-- title: How much wider an interval gets at a step of Holm's procedure
-- inputs: holm_steps
-- parameters:
--   alpha double in (0, 1) = 0.05   chance of any false finding
-- columns:
--   num_topics   topics
--   tests_left   tests at that step
--   factor       Student's quantile at 1 - alpha / 2 / tests_left over that at 1 - alpha / 2
-- reference: Student 1908, doi:10.1093/biomet/6.1.1
select
    num_topics,
    tests_left,
    student_quantile(1 - $alpha / 2 / tests_left, num_topics - 1)
    / student_quantile(1 - $alpha / 2, num_topics - 1) as factor
from (
    select distinct
        num_topics,
        tests_left
    from holm_steps
    where num_topics > 1
) as steps

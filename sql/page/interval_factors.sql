-- title: How much wider an interval gets at a step of Holm's procedure
-- inputs: tested_pairs, holm_steps
-- parameters:
--   alpha double in (0, 1) = 0.05   chance of any false finding
-- columns:
--   num_topics   topics
--   tests_left   tests at that step
--   factor       Student's quantile at 1 - alpha / 2 / tests_left over that at 1 - alpha / 2
-- reference: Student 1908, doi:10.1093/biomet/6.1.1
with sizes as (
    select distinct num_topics
    from tested_pairs
    where num_topics > 1
),
steps as (
    select distinct tests_left
    from holm_steps
)
select
    sizes.num_topics,
    steps.tests_left,
    student_quantile(1 - $alpha / 2 / steps.tests_left, sizes.num_topics - 1)
    / student_quantile(1 - $alpha / 2, sizes.num_topics - 1) as factor
from sizes
cross join steps

-- title: Every run beside every other with the step of Holm's procedure at which it is tested
-- inputs: tested_pairs
-- parameters:
--   alpha double in (0, 1) = 0.05   chance of any false finding among the comparisons with a baseline
-- columns:
--   measure      canonical name of the measure
--   baseline     run compared with
--   run          run compared
--   num_topics   topics that both have a value for
--   difference   mean difference
--   half_width   how far the interval at 95% goes to either side of it; null for one topic
--   wins         topics where the value of the run is greater
--   ties         topics where they are equal
--   losses       topics where the value of the baseline is greater
--   tests_left   tests that p is multiplied by at that step
--   is_sure      whether the difference is significant
-- definition: A baseline's p values in their order; the i-th of m is compared with alpha / (m - i + 1) until one is
--     above that, and all others are tested at the step where it stops. So the interval of confidence
--     1 - alpha / tests_left leaves 0 out just where the difference is significant.
-- reference: Holm 1979
with both_ways as (
    select
        measure,
        baseline,
        run,
        num_topics,
        difference,
        half_width,
        p,
        wins,
        ties,
        losses
    from tested_pairs
    union all
    select
        measure,
        run as baseline,
        baseline as run,
        num_topics,
        -difference as difference,
        half_width,
        p,
        losses as wins,
        ties,
        wins as losses
    from tested_pairs
),
placed as (
    select
        both_ways.*,
        row_number() over (
            partition by measure, baseline
            order by p, run
        ) as place,
        count(*) over (partition by measure, baseline) as num_tests
    from both_ways
),
stopped as (
    select
        placed.*,
        min(case when p * (num_tests - place + 1) >= $alpha then place end) over (partition by measure, baseline)
            as first_failure
    from placed
)
select
    measure,
    baseline,
    run,
    num_topics,
    difference,
    half_width,
    wins,
    ties,
    losses,
    num_tests - least(place, coalesce(first_failure, place)) + 1 as tests_left,
    place < coalesce(first_failure, place + 1) as is_sure
from stopped

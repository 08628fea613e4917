-- title: Every run beside every other, tested by the paired t test with Holm's correction
-- parameters:
--   qrels varchar = null            judgment set
--   alpha double in (0, 1) = 0.05   chance of any false finding among the comparisons with a baseline
--   family varchar in {measure, all} = measure   comparisons with a baseline that are corrected together: those of a
--                                    measure, or of all measures
-- columns: measure
--   baseline       run compared with
--   run            run compared
--   num_topics     topics that both have a value for
--   difference     mean difference
--   half_width     how far the interval of confidence 1 - alpha goes to either side of it; null for one topic
--   factor         how much wider it gets at the step of Holm's procedure: Student's quantile at
--                  1 - alpha / 2 / tests_left over that at 1 - alpha / 2
--   low            lower end of the interval of confidence 1 - alpha
--   high           upper end
--   widened_low    lower end of the interval at the step of Holm's procedure
--   widened_high   upper end
--   is_sure        whether the difference is significant
--   tests_left     tests that p is multiplied by at that step
--   wins           topics where the value of the run is greater
--   ties           topics where they are equal
--   losses         topics where the value of the baseline is greater
-- definition: A baseline's p values, as t_tests has them, in their order; the i-th of m is compared with
--     alpha / (m - i + 1) until one is above that, and all others are tested at the step where it stops. So the interval
--     of confidence 1 - alpha / tests_left leaves 0 out just where the difference is significant.
-- reference: Holm 1979; Student 1908, doi:10.1093/biomet/6.1.1
with tested as materialized (
    select
        measure,
        baseline,
        run,
        num_topics,
        difference,
        deviation,
        case
            when deviation > 0 then student_p(difference / deviation * sqrt(num_topics), num_topics - 1)
            when note = 'constant difference' then 0
            else 1
        end as p,
        wins,
        ties,
        losses
    from summed_differences(baseline := null)
    where qrels = $qrels
),
both_ways as (
    select *
    from tested
    union all
    select
        measure,
        run as baseline,
        baseline as run,
        num_topics,
        -difference as difference,
        deviation,
        p,
        losses as wins,
        ties,
        wins as losses
    from tested
),
placed as (
    select
        both_ways.*,
        case when $family = 'measure' then measure end as family,
        row_number() over (together order by p, measure, run) as place,
        count(*) over together as num_tests
    from both_ways
    window together as (partition by case when $family = 'measure' then measure end, baseline)
),
stopped as (
    select
        placed.*,
        min(case when p * (num_tests - place + 1) >= $alpha then place end) over (partition by family, baseline)
            as first_failure
    from placed
),
steps as materialized (
    select
        stopped.*,
        num_tests - least(place, coalesce(first_failure, place)) + 1 as tests_left,
        place < coalesce(first_failure, place + 1) as is_sure
    from stopped
),
quantiles as (
    select
        num_topics,
        tests_left,
        student_quantile(1 - $alpha / 2, num_topics - 1) as quantile,
        student_quantile(1 - $alpha / 2 / tests_left, num_topics - 1) as widened
    from (
        select distinct
            num_topics,
            tests_left
        from steps
        where num_topics > 1
    ) as of_steps
),
sized as (
    select
        steps.*,
        quantiles.quantile * steps.deviation / sqrt(steps.num_topics) as half_width,
        quantiles.widened / quantiles.quantile as factor
    from steps
    left join quantiles using (num_topics, tests_left)
)
select
    measure,
    baseline,
    run,
    num_topics,
    difference,
    half_width,
    factor,
    difference - half_width as low,
    difference + half_width as high,
    difference - half_width * factor as widened_low,
    difference + half_width * factor as widened_high,
    is_sure,
    tests_left,
    wins,
    ties,
    losses
from sized

-- title: p values corrected for the number of tests
-- parameters: baseline, test, family, tolerance, samples, seed, runs
-- columns: qrels, measure, baseline, run, num_topics
--   num_tests             tests corrected together
--   p                     two-sided p value as it is
--   bonferroni            p times the number of tests, 1 at most
--   holm                  step-down: holds the chance of any false finding, as Bonferroni's does, and is never greater
--   benjamini_hochberg    step-up: holds the expected share of false findings, for independent tests or positive
--                         dependence
--   benjamini_yekutieli   step-up: holds it under any dependence
--   note                  what there is to say of the test, such as identical, one topic; else null
-- definition: Over tests in the order of p: Holm's is the greatest of (m - i + 1) p over the i-th and those before,
--     Benjamini and Hochberg's the least of m p / i over the i-th and those after, Benjamini and Yekutieli's that
--     times the sum of 1 / i, 1 at most each.
-- reference: Holm 1979; Benjamini and Hochberg 1995, doi:10.1111/j.2517-6161.1995.tb02031.x; Benjamini and Yekutieli
--     2001, doi:10.1214/aos/1013699998
with scores as (
    -- The values are evaluated once: the relations called below read them by this name.
    select * from scores
),
unknown as (
    -- By judgment set and measure, so that a query for one measure computes the values of no other.
    select
        sets.qrels,
        sets.measure,
        min(asked.run) as run
    from (select distinct scores.qrels, scores.measure from scores where $runs is not null) as sets
    cross join (select unnest(string_split(replace($runs, ', ', ','), ',')) as run) as asked
    left join runs as loaded on contains(',' || loaded.run || ',', ',' || asked.run || ',')  -- names may have commas
    left join scores as seen
        on seen.qrels = sets.qrels
        and seen.measure = sets.measure
        and contains(',' || seen.run || ',', ',' || asked.run || ',')
    where
        loaded.run is null
        and seen.run is null
    group by sets.qrels, sets.measure
),
placed as (
    select
        found.*,
        count(*) over family as num_tests,
        row_number() over (family order by found.p, found.qrels, found.measure, found.baseline, found.run) as place
    from p_values(
        baseline := $baseline,
        test := $test,
        tolerance := $tolerance,
        samples := $samples,
        seed := $seed
    ) as found
    left join unknown using (qrels, measure)
    where
        case
            when $runs is null then true
            when unknown.run is not null then error('runs names ' || unknown.run || ', and no run is called so')
            else
                contains(',' || replace($runs, ', ', ',') || ',', ',' || found.run || ',')
                and (
                    found.baseline = $baseline
                    or contains(',' || replace($runs, ', ', ',') || ',', ',' || found.baseline || ',')
                )
        end
    window
        family as (
            partition by
                case when $family = 'measure' then found.qrels end,
                case when $family = 'measure' then found.measure end
        )
)
select
    placed.qrels,
    placed.measure,
    placed.baseline,
    placed.run,
    placed.num_topics,
    placed.num_tests,
    placed.p,
    least(1, placed.num_tests * placed.p) as bonferroni,
    least(1, max((placed.num_tests - placed.place + 1) * placed.p) over upto) as holm,
    least(1, min(placed.num_tests * placed.p / placed.place) over onward) as benjamini_hochberg,
    least(1, min(placed.num_tests * placed.p / placed.place) over onward * sum(1 / placed.place) over family)
        as benjamini_yekutieli,
    placed.note
from placed
window
    family as (
        partition by
            case when $family = 'measure' then placed.qrels end,
            case when $family = 'measure' then placed.measure end
    ),
    upto as (family order by placed.place rows between unbounded preceding and current row),
    onward as (family order by placed.place rows between current row and unbounded following)

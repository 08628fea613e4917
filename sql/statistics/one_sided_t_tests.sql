-- title: One-sided paired t test of each run with a baseline
-- parameters: baseline
-- columns: qrels, measure, baseline, run, num_topics
--   difference   mean difference
--   t            mean difference in standard errors; null where there is no spread to measure it by
--   df           degrees of freedom
--   p_less       p value against the alternative that the run has smaller values than the baseline
--   p_greater    p value against the alternative that it has greater ones
--   note         identical, one topic, constant difference; else null
-- definition: From the two-sided p of t_tests: p / 2 on the side on which the mean difference lies, 1 - p / 2 on the
--     other one. Where nothing can be tested (identical runs, one topic) both are 1, as the two-sided p is.
-- reference: Student 1908, doi:10.1093/biomet/6.1.1
select
    found.qrels,
    found.measure,
    found.baseline,
    found.run,
    found.num_topics,
    found.difference,
    found.t,
    found.df,
    case
        when found.note in ('identical', 'one topic') then 1
        when found.difference < 0 then found.p / 2
        else 1 - found.p / 2
    end as p_less,
    case
        when found.note in ('identical', 'one topic') then 1
        when found.difference > 0 then found.p / 2
        else 1 - found.p / 2
    end as p_greater,
    found.note
from t_tests(baseline := $baseline) as found

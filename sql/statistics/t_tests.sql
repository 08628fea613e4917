-- title: Paired t test of each run with a baseline
-- parameters: baseline
-- columns: qrels, measure, baseline, run, num_topics
--   difference   mean difference
--   t            mean difference in standard errors; null where there is no spread to measure it by
--   df           degrees of freedom
--   p            two-sided p value: 1 for identical runs and for one topic, 0 where all topics differ by the same
--   note         identical, one topic, constant difference; else null
-- definition: Mean over topics of the differences, divided by its standard error, as Student's t with a degree of
--     freedom less than there are topics.
-- reference: Student 1908, doi:10.1093/biomet/6.1.1
with ratios as (
    select
        found.*,
        found.difference / nullif(found.deviation, 0) * sqrt(found.num_topics) as t
    from summed_differences(baseline := $baseline) as found
)
select
    ratios.qrels,
    ratios.measure,
    ratios.baseline,
    ratios.run,
    ratios.num_topics,
    ratios.difference,
    ratios.t,
    ratios.num_topics - 1 as df,
    case
        when ratios.t is not null then student_p(ratios.t, ratios.num_topics - 1)
        when ratios.note = 'constant difference' then 0
        else 1
    end as p,
    ratios.note
from ratios

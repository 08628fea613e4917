-- title: At which score thresholds over all topics cut each run
-- inputs: cuts
-- columns:
--   place    1 for the first line
--   remark   a line on a run of a judgment set, with the score at which each measure cuts it
-- definition: Measures are in the order of their numbers. Judgment sets are named where there are several.
with cut as (
    select
        nth,
        measure,
        k,
        qrels,
        run,
        any_value(threshold) as threshold,
        bool_and(coalesce(reached, true)) as is_reached
    from cuts
    group by nth, measure, k, qrels, run
)
select
    row_number() over (order by min(nth), qrels, run) as place,
    concat(
        'cut of ', run, case when (select min(qrels) < max(qrels) from cut) then concat(' (', qrels, ')') end, ': ',
        string_agg(
            concat(
                measure, ' ', coalesce(format('at {:.6g}', threshold), 'nowhere'),
                case when not is_reached then concat(' (too few topics show ', k, ' false positives)') end
            ), ', ' order by nth
        )
    ) as remark
from cut
group by qrels, run

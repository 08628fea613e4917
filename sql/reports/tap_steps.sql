-- title: The scores of a run from which TAP's share of the topics shows more false positives
-- parameters: k, rel, quantile, most
--   k integer in [1, inf) = 5            false positives that a topic must show before the run is cut
--   most integer in [0, inf) = 25        false positives up to which steps are given
-- columns:
--   qrels             judgment set
--   run               run
--   threshold         first score of the run at which so many are shown
--   false_positives   the greatest number that the share of the topics shows there
--   is_chosen         whether TAP cuts the run there
with numbered as (
    select
        curve.qrels,
        curve.run,
        curve.threshold,
        curve.false_positives,
        curve.is_chosen,
        row_number() over (
            partition by curve.qrels, curve.run, curve.false_positives
            order by case when runs.lower_is_better then curve.threshold else -curve.threshold end
        ) as number
    from tap_curve(k := $k, rel := $rel, quantile := $quantile) as curve
    join runs on runs.run = curve.run
    where
        curve.false_positives <= $most
        or curve.is_chosen
)
select
    qrels,
    run,
    threshold,
    false_positives,
    is_chosen
from numbered
where
    number = 1
    or is_chosen

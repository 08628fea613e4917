-- title: Values of measures that are not finite or outside the range of the measure
-- inputs: audited_values
-- columns: finding
--   num_rows   1
-- definition: Each value is a number within the least and the greatest value that the catalogue of measures
--    gives, but for rounding.
with ranges as (
    select
        measure,
        range,
        cast(substring(range, 1, strpos(range, ' ') - 1) as double) as least,
        cast(substring(range, strpos(range, ' ') + 1, 100) as double) as greatest
    from measures
)
select
    concat(
        'run ', audited_values.run, ', topic ', audited_values.topic, ', judgments ', audited_values.qrels, ': ',
        audited_values.measure, ' is ', coalesce(cast(audited_values.value as varchar), 'null'),
        ', but must be from ', replace(ranges.range, ' ', ' to ')
    ) as finding,
    cast(1 as bigint) as num_rows
from audited_values
join ranges using (measure)
where
    audited_values.value is null
    or audited_values.value not between ranges.least - 1e-9 and ranges.greatest + 1e-9
    -- NaN and infinity are greater than every number.
    or abs(audited_values.value) > 1.7976931348623157e308

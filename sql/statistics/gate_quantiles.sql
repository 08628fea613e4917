-- title: The median or the 95th percentile over topics that a rule of a gate asks for
-- inputs: gate_rules, answered
-- columns: run
--   measure   what the rule calls its values
--   value     quantile of the values over the topics that have one
-- definition: Quantiles are between neighbours by linear interpolation.
-- reference: Hyndman and Fan 1996, Sample quantiles in statistical packages, doi:10.2307/2684934, definition 7
with named as (
    select distinct
        measure,
        statistic,
        case when group_key = '' then measure_name else measure end as measured
    from gate_rules
    where statistic in ('median', 'p95')
)
select
    answered.run,
    named.measure,
    case when named.statistic = 'median' then quantile_cont(answered.value, 0.5) else quantile_cont(answered.value, 0.95) end
        as value
from named
join answered on answered.measure = named.measured
group by answered.run, named.measure, named.statistic

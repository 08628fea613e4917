-- title: Values of a run less those of a baseline, topic by topic
-- parameters: baseline
-- columns: qrels, measure, baseline, run
--   topic            topic that both have a value for
--   baseline_value   value of the baseline
--   value            value of the run
--   scale            linear, or logarithmic for measures whose mean is geometric
--   difference       value less that of the baseline, of logarithms on the logarithmic scale
-- definition: Values of the view scores side by side, by the topic's name within judgment set and measure. A table of
--     one's own named scores, a temporary one or a CTE of the query that calls this takes the place of the view here
--     and in all that stands on this.
with scores as (
    -- The values once: to plan the view takes longer than the rest.
    select * from scores
),
known as (
    -- By judgment set and measure, so that a query for one measure computes the values of no other.
    select
        qrels,
        measure,
        bool_or(run = $baseline) as has_baseline
    from scores
    group by qrels, measure
),
base as (
    select
        seen.*,
        case when measures.mean = 'geometric' then 'logarithmic' else 'linear' end as scale
    from scores as seen
    join known using (qrels, measure)
    left join measures on measures.measure = regexp_extract(seen.measure, '^[^(@]+')
    where
        case
            when $baseline is null then true
            when known.has_baseline or $baseline in (select runs.run from runs) then seen.run = $baseline
            else error(
                'baseline is ' || $baseline || ', and no run is called so that has '
                || seen.measure || ' in ' || seen.qrels
            )
        end
)
select
    base.qrels,
    base.measure,
    base.run as baseline,
    other.run,
    base.topic,
    base.value as baseline_value,
    other.value,
    base.scale,
    value_on_scale(other.value, base.scale) - value_on_scale(base.value, base.scale) as difference
from base
join scores as other using (qrels, measure, topic)
where
    other.run <> base.run
    and ($baseline is not null or base.run < other.run)

-- title: How near the values that each convention gives come to figures found elsewhere
-- inputs: figures, conventions, found_means
-- columns:
--   system        run that the figure is of
--   asked         measure as the figure names it
--   figure        the figure as it is printed
--   measure       canonical name of the measure under the convention
--   convention    in what it differs from the measure as asked, in words; 'as asked' where in nothing
--   value         value under the convention
--   distance      how far the value is from the figure
--   fits          whether the value rounds to the figure, to the digits that the figure has
--   is_needed     whether all that differs matters: no convention with a part of it has the same value
--   num_changes   in how many points the convention differs
-- definition: A figure above the greatest value that its measure can have is read as a percentage. A value that lies
--     half a unit of the last digit away fits, since programs round such values either way.
with read_figures as (
    select
        figures.system,
        figures.asked,
        figures.figure,
        conventions.measure,
        conventions.changes,
        cast(figures.figure as double) > conventions.greatest as is_percentage,
        length(regexp_extract(figures.figure, '[.]([0-9]*)', 1)) as num_digits
    from figures
    join conventions on conventions.asked = figures.asked
),
scaled as (
    select
        *,
        cast(figure as double) / case when is_percentage then 100 else 1 end as number,
        num_digits + case when is_percentage then 2 else 0 end as num_decimals
    from read_figures
),
compared as (
    select
        scaled.system,
        scaled.asked,
        scaled.figure,
        scaled.measure,
        scaled.changes || case found_means.tie_rule
            when 'trec_eval_10' then ['scores as 64-bit numbers']
            when 'input' then ['order of the lines']
            when 'rank' then ['order of the rank column']
            else []
        end || case when found_means.topics = 'retrieved' then ['topics answered only'] else [] end as changes,
        found_means.value,
        abs(found_means.value - scaled.number) as distance,
        -- Decimal halves are not exact as binary numbers.
        abs(found_means.value - scaled.number) <= 0.5 * pow(10, -scaled.num_decimals) + 1e-12 as fits
    from scaled
    join found_means
        on found_means.run = scaled.system
        and found_means.measure = scaled.measure
),
idle as (
    select distinct
        compared.system,
        compared.asked,
        compared.changes
    from compared
    join compared as simpler
        on simpler.system = compared.system
        and simpler.asked = compared.asked
        and simpler.value = compared.value
        and length(simpler.changes) < length(compared.changes)
        and list_has_all(compared.changes, simpler.changes)
)
select
    compared.system,
    compared.asked,
    compared.figure,
    compared.measure,
    coalesce(nullif(array_to_string(compared.changes, ', '), ''), 'as asked') as convention,
    compared.value,
    compared.distance,
    compared.fits,
    idle.system is null as is_needed,
    length(compared.changes) as num_changes
from compared
left join idle
    on idle.system = compared.system
    and idle.asked = compared.asked
    and idle.changes = compared.changes

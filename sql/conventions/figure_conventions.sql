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
--   is_formula    whether one of these is another formula, as of a variant or a mistake
-- definition: A figure above the greatest value that its measure can have is read as a percentage, but by conventions
--     that exceed it themselves. A value that lies half a unit of the last digit away fits, since programs round such
--     values either way.
with read_means as (
    select
        run,
        judgments,
        split_part(measure, '@' || chr(9), 1) as measure,
        contains(measure, '@' || chr(9)) as is_variant,
        nullif(split_part(measure, '@' || chr(9), 2), '') as variant,
        judgments <> 'qrels' as counts_negative,
        document_order,
        topics,
        value
    from found_means
),
compared as (
    select
        figures.system,
        figures.asked,
        figures.figure,
        conventions.measure,
        list_filter(
            conventions.changes || [
                read_means.variant,
                case when read_means.judgments = 'zero' then 'negative grades as judgments' end,
                case when read_means.judgments = 'losses' then 'negative grades as losses' end,
                case read_means.document_order
                    when 'trec_eval_10' then 'scores as 64-bit numbers'
                    when 'rank' then 'order of the rank column'
                    when 'input' then 'order of the lines'
                    when 'names' then 'ties by name from the beginning'
                    when 'lines' then 'ties in the order of the lines'
                    when 'lines_reversed' then 'ties in the order of the lines from the end'
                end,
                case split_part(read_means.topics, ', ', 1)
                    when 'answered' then 'topics answered only'
                    when 'of the run' then 'topics of the run, those without judgments count 0'
                end,
                case split_part(read_means.topics, ', ', 2)
                    when 'left out' then 'topics without relevant documents left out'
                    when 'one' then 'topics without relevant documents count 1'
                end
            ],
            lambda change: change is not null
        ) as changes,
        read_means.variant is not null as is_formula,
        read_means.value,
        cast(figures.figure as double) > cast(conventions.greatest as double)
            and read_means.value <= cast(conventions.greatest as double) as is_percentage,
        cast(figures.figure as double) as number,
        length(regexp_extract(figures.figure, '[.]([0-9]*)', 1)) as num_decimals
    from figures
    join conventions using (asked)
    join read_means
        on read_means.run = figures.system
        and read_means.measure = conventions.measure
    -- Grades below 0 are losses by the variants of gains, which are of one more judgment set. Elsewhere they are 0.
    where
        case read_means.judgments
            when 'qrels' then read_means.variant is not null or not read_means.is_variant
            when 'losses' then conventions.has_losses and read_means.is_variant
            else not conventions.has_losses
        end
),
measured as (
    select
        *,
        case when is_percentage then abs(value - number / 100) else abs(value - number) end as distance,
        0.5 * pow(10, -num_decimals - case when is_percentage then 2 else 0 end) as half_unit
    from compared
),
idle as (
    select distinct
        measured.system,
        measured.asked,
        measured.changes
    from measured
    join measured as simpler
        on simpler.system = measured.system
        and simpler.asked = measured.asked
        and simpler.value = measured.value
        and length(simpler.changes) < length(measured.changes)
        and list_has_all(measured.changes, simpler.changes)
)
select
    measured.system,
    measured.asked,
    measured.figure,
    measured.measure,
    coalesce(nullif(array_to_string(measured.changes, '; '), ''), 'as asked') as convention,
    measured.value,
    measured.distance,
    -- Decimal halves are not exact as binary numbers.
    measured.distance <= measured.half_unit + 1e-12 as fits,
    idle.system is null as is_needed,
    length(measured.changes) as num_changes,
    measured.is_formula
from measured
left join idle using (system, asked, changes)

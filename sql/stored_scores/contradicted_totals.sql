-- title: Values over all topics that are not what the values of the topics in the same file give
-- inputs: named_results
-- columns:
--   file     number of the file
--   line     line of the value over all topics; 0 where the file has no lines of values
--   reason   what is wrong
-- definition: The mean, or of counts the sum, within what rounding to the digits of the file leaves open. A mean may be
--     over topics that the file does not print, which count as 0, as under trec_eval -c: over so many as num_q says,
--     else over any number that fits.
-- reference: Buckley, trec_eval, options -c and -q
with totals as (
    select
        file,
        run,
        measure,
        count(topic) as num_topics,
        sum(value order by value) filter (where topic is not null) as topic_sum,
        min(value) filter (where topic is null) as total,
        min(line) filter (where topic is null) as line,
        max(len(split_part(cast(round(value, 9) as varchar), '.', 2))) as num_decimals
    from named_results
    group by file, run, name, measure
    having
        count(topic) between 1 and count(*) - 1
        and bool_and(isfinite(value))
),
averaged as (
    select
        totals.*,
        measures.mean as kind_of_mean,
        coalesce(
            numbers.total,
            greatest(totals.num_topics, round(totals.topic_sum / nullif(totals.total, 0))),
            totals.num_topics
        ) as num_averaged
    from totals
    join measures on measures.measure = regexp_extract(totals.measure, '^[^(@]+')
    left join (
        select
            file,
            run,
            min(value) as total
        from named_results
        where
            measure = 'NumQ'
            and topic is null
        group by file, run
    ) as numbers
        on numbers.file = totals.file
        and numbers.run = totals.run
    where measures.mean in ('arithmetic', 'sum')
),
expected as (
    select
        *,
        topic_sum / case kind_of_mean when 'sum' then 1 else num_averaged end as expected_total,
        -- Rounding moves each value, and the total of them, by up to half a digit.
        power(10, -num_decimals) * case kind_of_mean when 'sum' then num_topics + 1 else 2 end / 2 as tolerance
    from averaged
)
select
    file,
    line,
    concat(
        measure, ' over all topics is ', total, ', and the values of its ', num_topics, ' topics give ',
        round(expected_total, cast(num_decimals + 1 as integer)), '; do they belong to one run?'
    ) as reason
from expected
where abs(expected_total - total) > 1.01 * tolerance + 1e-9

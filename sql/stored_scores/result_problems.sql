-- title: What is wrong with staged results
-- inputs: result_values, named_results, contradicted_totals, judged_results, staged_results, staged_files, ranges
-- columns:
--   label    file as messages call it
--   line     its line, or 0
--   reason   what is wrong
with outside as (
    select
        result_values.file,
        min(result_values.line) as line,
        arg_min(
            concat(
                result_values.measure, ' is ', result_values.value, ', but must be from ',
                replace(ranges.range, ' ', ' to '),
                case
                    when ranges.greatest = 1 and result_values.value between 1 and 100
                    then '; --percent divides values in per cent by 100'
                    else ''
                end
            ),
            (result_values.line, result_values.measure)
        ) as reason
    from result_values
    join ranges using (measure)
    -- Rounding may take a value across the bound.
    where
        isfinite(result_values.value)
        and result_values.value not between ranges.least - 1e-9 and ranges.greatest + 1e-9
    group by result_values.file
),
given_twice as (
    select
        run,
        topic,
        measure,
        arg_max(file, {'file': file, 'line': line}) as file,
        arg_max(line, {'file': file, 'line': line}) as line,
        arg_min(file, {'file': file, 'line': line}) as first_file,
        arg_min(line, {'file': file, 'line': line}) as first_line
    from result_values
    group by run, topic, measure
    having count(*) > 1
),
repeated as (
    select
        given_twice.file,
        given_twice.line,
        concat(
            min(given_twice.measure), ' of ', given_twice.run, coalesce(', topic ' || min(given_twice.topic), ''),
            ' is given twice, first by ', min(staged_files.label),
            case when min(given_twice.first_line) > 0 then concat(':', min(given_twice.first_line)) else '' end
        ) as reason
    from given_twice
    join staged_files on staged_files.file = given_twice.first_file
    group by given_twice.file, given_twice.line, given_twice.run
),
merged as (
    select
        arg_max(file, {'file': file, 'line': line}) as file,
        arg_max(line, {'file': file, 'line': line}) as line,
        concat('two systems, versions or collections would be called ', run, '; name one of them otherwise') as reason
    from (
        select
            run,
            file,
            line,
            map(keys, facts) as said
        from staged_results
    )
    group by run
    having count(distinct concat_ws(chr(31), said['system'], coalesce(said['version'], ''), said['collection'])) > 1
),
unusable as (
    select
        file,
        line,
        concat('the value of ', min(measure), ' is no finite number such as 0.25') as reason
    from result_values
    where not coalesce(isfinite(value), false)
    group by file, line
),
partial as (
    select
        named_results.file,
        named_results.line,
        concat(
            'has ', min(named_results.name), ' of some of its subsets alone, so the task has no mean of it'
        ) as reason
    from named_results
    join (
        select
            file,
            result,
            count(*) as num_subsets
        from staged_results
        group by file, result
    ) as tasks using (file, result)
    where named_results.num_subsets < tasks.num_subsets
    group by named_results.file, named_results.line
),
unknown as (
    select
        file,
        min(line) as line,
        concat(measure, ' is no measure of evalsql, and of others only values over all topics are kept') as reason
    from result_values
    where
        topic is not null
        and measure not in (select ranges.measure from ranges where ranges.measure is not null)
    group by file, measure
),
unjudged as (
    select
        file,
        0 as line,
        concat(
            'has values of topics, and no judgments of ', collection, ' here have the topics; evalsql load qrels FILE ',
            '--collection ', collection, ' loads some, or --qrels NAME says which'
        ) as reason
    from judged_results
    where qrels is null and not has_overall
),
problems as (
    select * from outside
    union all
    select * from repeated
    union all
    select * from merged
    union all
    select * from unusable
    union all
    select * from partial
    union all
    select * from contradicted_totals
    union all
    select * from unknown
    union all
    select * from unjudged
)
select
    staged_files.label,
    problems.line,
    problems.reason
from problems
join staged_files using (file)

-- title: What is wrong with costs that are to be kept
-- inputs: staged_keys
-- columns:
--   file     file of the row, or a word for rows in memory
--   line     line of the file, or number of the row
--   reason   what is wrong with it
-- definition: A number may stand in several rows of one topic, as in a run with a column of latencies, where it is the
--    same in each.
with placed as (
    select
        staged_keys.*,
        concat(
            cost, ' of run ', run,
            case when topic = '' then '' else concat(', topic ', topic) end,
            case when call = '' then '' else concat(', call ', call) end
        ) as place,
        first_value(value) over given_so as first_value,
        first_value(given) over given_so as first_given,
        first_value(line) over given_so as first_line,
        first_value(file) over given_so as first_file
    from staged_keys
    window given_so as (partition by run, topic, call, cost order by file, line)
),
judged as (
    select
        file,
        line,
        case
            when run = '' then 'names no run; a column run does, or --run for all rows'
            when run_id is null then concat('no run is called ', run, '; evalsql load runs FILE brings runs')
            when topic <> '' and topic_id is null then concat('run ', run, ' has no topic ', topic)
            when call <> '' and topic = '' then concat('call ', call, ' is of no topic')
            when call <> '' and number is null and has_calls then concat('topic ', topic, ' of run ', run, ' has no call ', call)
            when call <> '' and number is null then concat('call is ', call, ', but must be a whole number from 1')
            when not regexp_full_match(cost, '[A-Za-z][A-Za-z0-9_.]*') then concat(
                '"', cost, '" cannot name a cost: a name begins with a letter and has letters, digits, _ and ., as in latency_ms'
            )
            when value is null then concat(
                place, ' is "', given, '", which is no number; --cost names the columns that are costs'
            )
            when not isfinite(value) or value < 0
                then concat(place, ' is ', given, ', but must be finite and 0 or more')
            when value <> first_value then concat(
                place, ' is ', given, ', and ', first_given,
                case when first_line > 0 then concat(' at line ', first_line) else ' above' end,
                case when first_file <> file then concat(' of ', first_file) else '' end,
                '; it has one number'
            )
        end as reason
    from placed
)
select
    file,
    line,
    reason
from judged
where reason is not null

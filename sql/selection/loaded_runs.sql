-- title: What there is to say of runs that were loaded
-- inputs: loaded
-- columns:
--   num_ret      documents retrieved
--   duplicates   rows left out as repeated documents
--   num_alone    runs that no judgment set evaluates
--   num_lines    comment and header lines kept with them
--   num_mixed    runs whose file has several tags
--   num_calls    calls, of each topic; null where the runs have none, as those below
--   num_topics   topics that have calls, of each run; 0 where none has
--   most_calls   calls of the topic that has most
--   first_ranks  ranks down to which the run has documents of the first call alone, on topics of several calls
--   by_number    whether calls are in the order of their numbers; else as they first stood in the file
with lengths as (
    select
        run_topics.run_id,
        sum(run_topics.num_ret) as num_ret
    from run_topics
    group by run_topics.run_id
),
totals as (
    select
        cast(sum(lengths.num_ret) as bigint) as num_ret,
        cast(sum(runs.duplicates) as bigint) as duplicates,
        count(case when runs.run_id not in (select evaluations.run_id from evaluations) then 1 end) as num_alone,
        cast(
            sum(case when runs.comments = '' then 0 else len(string_split(runs.comments, chr(10))) end) as bigint
        ) as num_lines,
        count(case when runs.num_tags > 1 then 1 end) as num_mixed
    from loaded
    join runs on runs.run = loaded.run
    left join lengths on lengths.run_id = runs.run_id
),
sessions as (
    select
        max(call_ranks.call) as num_calls,
        count(*) filter (where call_ranks.call = 1) as num_first,
        bool_and(
            call_ranks.call_name is null or coalesce(isfinite(try_cast(call_ranks.call_name as double)), false)
        ) as are_numbers
    from call_ranks
    join runs on runs.run_id = call_ranks.run_id
    where runs.run in (select run from loaded)
    group by call_ranks.run_id, call_ranks.topic_id
),
calls as (
    select
        cast(sum(num_calls) as bigint) as num_calls,
        count(*) as num_topics,
        max(num_calls) as most_calls,
        min(num_first) filter (where num_calls > 1) as first_ranks,
        bool_and(are_numbers) as by_number
    from sessions
)
select
    totals.*,
    calls.*
from totals
cross join calls

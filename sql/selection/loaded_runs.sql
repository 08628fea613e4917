-- title: What is to be said of runs that were loaded
-- inputs: loaded
-- columns:
--   place    1 for the first line
--   remark   a line: how many documents they retrieved, how many searches they made, and what was kept and is lacking
-- definition: Calls are in the order of their numbers, or else as they first stood in the file. Down to the ranks that are
--     told, runs have documents of the first call alone, on topics of several calls.
with lengths as (
    select
        run_topics.run_id,
        sum(run_topics.num_ret) as num_ret
    from run_topics
    group by run_topics.run_id
),
totals as (
    select
        count(*) as num_runs,
        cast(coalesce(sum(lengths.num_ret), 0) as bigint) as num_ret,
        cast(sum(runs.duplicates) as bigint) as duplicates,
        count(case when runs.run_id not in (select evaluations.run_id from evaluations) then 1 end) as num_alone,
        cast(
            sum(case when runs.comments = '' then 0 else len(string_split(runs.comments, chr(10))) end) as bigint
        ) as num_lines,
        count(case when runs.num_tags > 1 then 1 end) as num_mixed
    from loaded
    join runs using (run)
    left join lengths using (run_id)
),
sessions as (
    select
        max(call_ranks.call) as num_calls,
        count(*) filter (where call_ranks.call = 1) as num_first,
        bool_and(
            call_ranks.call_name is null or coalesce(isfinite(try_cast(call_ranks.call_name as double)), false)
        ) as are_numbers
    from call_ranks
    join runs using (run_id)
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
    1 as place,
    concat(
        'loaded ', count_of(num_runs, 'run'), ': ', count_of(num_ret, 'document'), ' retrieved',
        case when duplicates > 0 then concat(', ', count_of(duplicates, 'repeated document'), ' left out') end
    ) as remark
from totals
union all
select
    2 as place,
    concat(
        count_of(num_calls, 'call'), ' of ', count_of(num_topics, 'topic'),
        ', at most ', most_calls, ' of a topic, in the order ',
        case when by_number then 'of their numbers' else 'in which they first stand in the file' end,
        case
            when first_ranks > 0
                then concat('; figures at cutoffs up to ', first_ranks, ' are of the first call alone, see evalsql help agents')
        end
    ) as remark
from calls
where num_calls > 0
union all
select
    3 as place,
    concat(count_of(num_lines, 'comment or header line'), ' kept with them') as remark
from totals
where num_lines > 0
union all
select
    4 as place,
    concat(count_of(num_mixed, 'run'), ' with several tags in the file; the last one is kept') as remark
from totals
where num_mixed > 0
union all
select
    5 as place,
    concat(count_of(num_alone, 'run'), ' without judgments yet; evalsql load qrels FILE brings them') as remark
from totals
where num_alone > 0

-- title: The rankings that stand for runs when their calls are asked for, and runs without calls as they are
-- inputs: chosen_runs
-- parameters:
--   calls varchar in {first, last, best, each, cumulative} = each   which calls of a topic make a ranking; each and
--                                                                   cumulative make several of one run
-- columns:
--   list_id     key of the ranking as a run of its own
--   list        its name: the run's, and which calls
--   run_id      key of the run
--   place       the call, or the last of those it is made of; null where each topic has its own
--   is_whole    whether it is made of all calls of every topic
--   has_calls   whether the run has calls
with sessions as (
    select
        run_id,
        max(call) as num_calls
    from call_ranks
    where run_id in (select run_id from chosen_runs)
    group by run_id
),
places as (
    select unnest(range(1, (select coalesce(max(num_calls), 0) from sessions) + 1)) as place
),
lists as (
    select
        sessions.run_id,
        places.place,
        $calls = 'cumulative' and places.place = sessions.num_calls as is_whole
    from sessions
    join places on places.place <= sessions.num_calls
    where $calls in ('each', 'cumulative')
    union all
    select
        run_id,
        null as place,
        $calls = 'best' as is_whole
    from sessions
    where $calls not in ('each', 'cumulative')
)
select
    cast(
        (select max(run_id) from runs) + row_number() over (order by lists.run_id, lists.place) as integer
    ) as list_id,
    runs.run || case
        when $calls = 'best' then ', best ranks'
        when lists.place is null then ', ' || $calls || ' call'
        when $calls = 'each' or lists.place = 1 then ', call ' || lists.place
        else ', calls 1 to ' || lists.place
    end as list,
    lists.run_id,
    lists.place,
    lists.is_whole,
    true as has_calls
from lists
join runs using (run_id)
union all
select
    run_id as list_id,
    run as list,
    run_id,
    null as place,
    true as is_whole,
    false as has_calls
from runs
where
    run_id in (select run_id from chosen_runs)
    and run_id not in (select run_id from sessions)

-- title: One ranking of several calls, each document once: by the call that finds it first, or by its best rank
-- inputs: call_windows
-- parameters:
--   united_by varchar in {first, best} = first   first has all of the first call, then what the next one adds; best has
--                                                the documents by their best rank in any call, equal ones by call
-- columns:
--   run_id        key of the list
--   topic_id      key of the topic
--   rank          rank from 1
--   tied_above    documents above it that the tie rule holds equal to it; 0 in a list of several calls
--   document_id   key of the document
--   score         score as it stood in the file; in a list of several calls, whose scores do not go together, what the
--                 rank is worth to the run's tie rule: minus the rank, or the rank where smaller scores are better
with found as (
    select
        call_windows.list_id,
        call_windows.run_id,
        call_ranks.topic_id,
        call_ranks.call,
        call_ranks.rank,
        call_ranks.tied_above,
        call_ranks.document_id,
        call_ranks.score
    from call_windows
    join call_ranks
        on call_ranks.run_id = call_windows.run_id
        and call_ranks.topic_id = call_windows.topic_id
        and call_ranks.call between call_windows.first_call and call_windows.last_call
),
lists as (
    select
        list_id,
        bool_and(first_call = last_call) as is_of_one_call
    from call_windows
    group by list_id
),
chosen as (
    select *
    from found
    qualify row_number() over (
        partition by list_id, topic_id, document_id
        order by case when $united_by = 'first' then call else rank end, call, rank
    ) = 1
),
numbered as (
    select
        *,
        row_number() over (
            partition by list_id, topic_id
            order by case when $united_by = 'first' then call else rank end, call, rank
        ) as place
    from chosen
)
select
    numbered.list_id as run_id,
    numbered.topic_id,
    cast(numbered.place as integer) as rank,
    case when lists.is_of_one_call then numbered.tied_above else 0 end as tied_above,
    numbered.document_id,
    case
        when lists.is_of_one_call then numbered.score
        when runs.lower_is_better then cast(numbered.place as double)
        else -cast(numbered.place as double)
    end as score
from numbered
join lists using (list_id)
join runs using (run_id)
order by numbered.list_id, numbered.topic_id, numbered.place

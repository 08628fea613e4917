-- title: Topics that rankings have documents for, as the base table run_topics has them
-- inputs: listed_runs, listed_rows
-- columns:
--   run_id     key of the ranking
--   topic_id   key of the topic
--   num_ret    number of documents
select
    listed_rows.run_id,
    listed_rows.topic_id,
    cast(count(*) as integer) as num_ret
from listed_rows
join listed_runs
    on listed_runs.list_id = listed_rows.run_id
    and listed_runs.has_calls
group by listed_rows.run_id, listed_rows.topic_id
union all
select
    run_id,
    topic_id,
    num_ret
from run_topics
where run_id in (select run_id from listed_runs where not has_calls)

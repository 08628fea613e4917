-- title: How many rows of new runs repeat a document of their topic, or of a call of it
-- inputs: ranked, ranked_calls
-- columns: run_id
--   duplicates   rows that are left out where the best one of each document is kept
with owners as (
    select distinct
        list_id,
        run_id
    from ranked_calls
)
select
    coalesce(owners.run_id, ranked.run_id) as run_id,
    count(*) - count(distinct row(ranked.run_id, ranked.topic_id, ranked.document_id)) as duplicates
from ranked
left join owners on owners.list_id = ranked.run_id
group by coalesce(owners.run_id, ranked.run_id)

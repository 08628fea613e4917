-- title: The rows of retrieved for the runs that are asked for
-- columns: run_id, topic_id
--   rank          place in the ranking from 1
--   tied_above    documents above it that the tie rule holds equal to it
--   first_rank    place of the first document that the tie rule holds equal to this one
--   document_id   key of the document
--   score         score as it stood in the file
with named as (
    select *
    from retrieved
    where run_id in (select run_id from asked_runs())
)
select *
from query_table(case when getvariable('only_runs') is null then 'retrieved' else 'named' end)

-- title: Ranks of the staged rows that stand where they belong: all but the resolved ones
-- inputs: keyed_rows, resolved_ranks
-- columns:
--   run_id        key of the run
--   topic_id      key of the topic
--   rank          place in the ranking from 1
--   first_rank    the same: none is tied
--   document_id   key of the document
--   score         score as it stood in the file
select
    run_id,
    topic_id,
    cast(position - start + 1 as integer) as rank,
    cast(position - start + 1 as integer) as first_rank,
    document_id,
    score
from keyed_rows
where not exists (
    select 1
    from resolved_ranks
    where resolved_ranks.position = keyed_rows.position
)

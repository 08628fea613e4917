-- title: Rows ranked within each topic of each run: by score, equal ones by name in descending order
-- inputs: compared_rows
-- columns: run_id, topic_id
--   rank          rank from 1
--   tied_above    documents above it with an equal score
--   document_id   key of the document
--   score         score as it stood in the file
select
    run_id,
    topic_id,
    cast(row_number() over (partition by run_id, topic_id order by strength desc, name_rank desc) as integer) as rank,
    cast(
        row_number() over (partition by run_id, topic_id order by strength desc, name_rank desc)
        - rank() over (partition by run_id, topic_id order by strength desc) as integer
    ) as tied_above,
    document_id,
    score
from compared_rows

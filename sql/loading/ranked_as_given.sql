-- title: Rows ranked within each topic of each run: by the rank column or the order of the lines, so that none tie
-- inputs: compared_rows
-- parameters:
--   tie_rule varchar in {rank, input} = rank   how documents are ordered; equal ranks go by score, then by name
-- columns: run_id, topic_id
--   rank          rank from 1
--   tied_above    0
--   document_id   key of the document
--   score         score as it stood in the file
select
    run_id,
    topic_id,
    cast(
        row_number() over (
            partition by run_id, topic_id
            order by
                case when $tie_rule = 'rank' then given_rank else position end,
                strength desc,
                name_rank desc
        ) as integer
    ) as rank,
    0 as tied_above,
    document_id,
    score
from compared_rows

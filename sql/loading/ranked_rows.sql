-- title: Rows ranked within each topic of each run: by score, equal ones by name in descending order, or as they were given
-- inputs: compared_rows
-- parameters:
--   tie_rule varchar in {trec_eval, trec_eval_10, rank, input} = trec_eval   how documents are ordered; by the rank
--                                                                            column, where equal ranks go by score and
--                                                                            name, or by the order of the lines none tie
-- columns: run_id, topic_id
--   rank          rank from 1
--   tied_above    documents above it with an equal score; 0 where they are ranked as given
--   document_id   key of the document
--   score         score as it stood in the file
with placed as (
    select
        *,
        case $tie_rule when 'rank' then given_rank when 'input' then position else 0 end as place
    from compared_rows
)
select
    run_id,
    topic_id,
    cast(row_number() over ranking as integer) as rank,
    case
        when $tie_rule in ('rank', 'input') then 0
        else cast(
            row_number() over ranking - rank() over (partition by run_id, topic_id order by place, strength desc) as integer
        )
    end as tied_above,
    document_id,
    score
from placed
window ranking as (partition by run_id, topic_id order by place, strength desc, name_rank desc)

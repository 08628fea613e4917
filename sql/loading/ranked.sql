-- title: Rows of runs with their rank under the tie rule
-- inputs: scored
-- parameters:
--   tie_rule varchar in {trec_eval, trec_eval_10, rank, input} = trec_eval   how documents are ordered
-- columns:
--   run_id        key of the run
--   topic_id      key of the topic
--   rank          place in the ranking from 1
--   first_rank    place of the first document that the tie rule holds equal to this one
--   document_id   key of the document
--   score         score as it stood in the file
with ordered as (
    select
        scored.run_id,
        scored.topic_id,
        cast(row_number() over ranking as integer) as rank,
        cast(
            rank() over (
                partition by scored.run_id, scored.topic_id
                order by case when $tie_rule in ('rank', 'input') then scored.rank end, scored.strength desc
            ) as integer
        ) as peer_rank,
        scored.document_id,
        scored.score
    from scored
    join documents on documents.document_id = scored.document_id
    window ranking as (
        partition by scored.run_id, scored.topic_id
        order by
            case when $tie_rule in ('rank', 'input') then scored.rank end,
            scored.strength desc,
            documents.document desc
    )
)
select
    run_id,
    topic_id,
    rank,
    case when $tie_rule in ('rank', 'input') then rank else peer_rank end as first_rank,
    document_id,
    score
from ordered

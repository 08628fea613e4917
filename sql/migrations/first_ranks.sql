-- title: Rankings of the first schema with the rank of the first document tied with each
-- inputs: retrieved_scores
-- columns: run_id, topic_id
--   rank          rank from 1
--   first_rank    rank of the first document that the tie rule holds equal to this one
--   document_id   key of the document
--   score         score as it stood in the file
with peers as (
    select
        run_id,
        topic_id,
        rank,
        cast(rank() over (partition by run_id, topic_id order by comparison_score desc) as integer) as peer_rank,
        document_id,
        score
    from retrieved_scores
)
select
    peers.run_id,
    peers.topic_id,
    peers.rank,
    case when runs.tie_rule in ('rank', 'input') then peers.rank else peers.peer_rank end as first_rank,
    peers.document_id,
    peers.score
from peers
join runs on runs.run_id = peers.run_id
order by peers.run_id, peers.topic_id, peers.rank

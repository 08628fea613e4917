-- title: Ranked rows as the base table holds them
-- inputs: ranked
-- parameters:
--   tie_rule varchar in {trec_eval, trec_eval_10, rank, input} = trec_eval   how documents are ordered
-- columns:
--   run_id        key of the run
--   topic_id      key of the topic
--   rank          place in the ranking from 1
--   tied_above    documents above it that the tie rule holds equal to it
--   document_id   key of the document
--   score         score as it stood in the file
select
    run_id,
    topic_id,
    rank,
    case when $tie_rule in ('rank', 'input') then 0 else rank - first_rank end as tied_above,
    document_id,
    score
from ranked

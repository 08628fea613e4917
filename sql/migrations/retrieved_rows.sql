-- title: Rankings of schemas before 4, which do not store how many documents are tied above each, as retrieved has them
-- inputs: ranked
-- columns: run_id, topic_id
--   rank          rank from 1
--   tied_above    documents above it that the tie rule holds equal to it
--   document_id   key of the document
--   score         score as it stood in the file
select
    ranked.run_id,
    ranked.topic_id,
    ranked.rank,
    case
        when runs.tie_rule in ('rank', 'input') then 0
        else ranked.rank - cast(
            rank() over (
                partition by ranked.run_id, ranked.topic_id
                order by comparison_score(ranked.score, runs.tie_rule, runs.lower_is_better) desc
            ) as integer
        )
    end as tied_above,
    ranked.document_id,
    ranked.score
from ranked
join runs using (run_id)
order by ranked.run_id, ranked.topic_id, ranked.rank

-- title: Ranks of judged documents for preferences: tied documents in ascending order of their names
-- columns:
--   evaluation_id   key of the evaluation
--   document_id     key of the document
--   rank            place in the ranking
--   first_rank      place of the first document tied with it; rank where there is none
select
    evaluation_id,
    document_id,
    -- Elsewhere ties stand in descending order, so that each is turned round.
    first_rank + last_rank - rank as rank,
    first_rank
from judged_ranks

-- title: Interpolated precision at each relevant document: the highest precision there or below
-- parameters: rel
-- columns: evaluation_id
--   rank            rank of the document
--   relevant_rank   relevant documents down to it
--   precision       highest precision at this or a later relevant document
select
    evaluation_id,
    rank,
    relevant_rank,
    max(relevant_rank / rank) over (
        partition by evaluation_id
        order by relevant_rank desc
        rows between unbounded preceding and current row
    ) as precision
from relevant_ranks(rel := $rel)

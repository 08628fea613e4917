-- title: Ranks of the staged rows that are tied, in topics whose lines stand in the order of the ranking but for that
-- inputs: marked_rows, staged_lists
-- parameters:
--   tie_rule varchar in {trec_eval, trec_eval_10, rank, input} = trec_eval   how documents are ordered
-- columns:
--   position     place of the row among the staged ones
--   rank         place in the ranking from 1
--   first_rank   place of the first document of the same strength, if the tie rule goes by the score
with tied as (
    select
        head,
        position,
        file_id,
        topic,
        document
    from marked_rows
    where ties
    union all
    -- The first of them is known as the one above the second.
    select
        head,
        head as position,
        file_id,
        topic,
        document_above as document
    from marked_rows
    where
        ties
        and position = head + 1
),
placed as (
    select
        tied.position,
        tied.head - staged_lists.start as above,
        row_number() over (partition by tied.head order by tied.document desc) as nth
    from tied
    join staged_lists
        on staged_lists.file_id = tied.file_id
        and staged_lists.topic = tied.topic
    where staged_lists.is_ordered
)
select
    position,
    cast(above + nth as integer) as rank,
    cast(above + case when $tie_rule in ('rank', 'input') then nth else 1 end as integer) as first_rank
from placed

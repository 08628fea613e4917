-- title: Ranks of the staged rows that are tied, in topics whose lines stand in the order of the ranking but for that
-- inputs: marked_rows, staged_lists, named_documents
-- parameters:
--   tie_rule varchar in {trec_eval, trec_eval_10, rank, input} = trec_eval   how documents are ordered
-- columns:
--   position      place of the row among the staged ones
--   run_id        key of the run
--   topic_id      key of the topic
--   rank          place in the ranking from 1
--   first_rank    place of the first document of the same strength, if the tie rule goes by the score
--   document_id   key of the document
--   score         score as it stood in the file
with tied as (
    select
        head,
        position,
        file_id,
        topic,
        document,
        score
    from marked_rows
    where ties
    union all
    -- The first of them is known as the one above the second.
    select
        head,
        head as position,
        file_id,
        topic,
        document_above as document,
        score_above as score
    from marked_rows
    where
        ties
        and position = head + 1
),
placed as (
    select
        tied.position,
        staged_lists.run_id,
        staged_lists.topic_id,
        tied.head - staged_lists.start + 1 as first_rank,
        row_number() over (order by tied.head, tied.document desc) - rank() over (order by tied.head) as above,
        named_documents.document_id,
        tied.score
    from tied
    join staged_lists
        on staged_lists.file_id = tied.file_id
        and staged_lists.topic = tied.topic
    join named_documents on named_documents.document = tied.document
    where staged_lists.is_ordered
)
select
    position,
    run_id,
    topic_id,
    cast(first_rank + above as integer) as rank,
    cast(case when $tie_rule in ('rank', 'input') then first_rank + above else first_rank end as integer) as first_rank,
    document_id,
    score
from placed

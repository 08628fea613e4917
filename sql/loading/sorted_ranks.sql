-- title: Ranks of the staged rows of topics whose lines do not stand in the order of the ranking
-- inputs: keyed_rows
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
with ranked as (
    select
        position,
        run_id,
        topic_id,
        row_number() over (
            partition by run_id, topic_id
            order by given, strength desc, document desc
        ) as rank,
        rank() over (
            partition by run_id, topic_id
            order by given, strength desc
        ) as first_rank,
        document_id,
        score
    from keyed_rows
    where not is_ordered
)
select
    position,
    run_id,
    topic_id,
    cast(rank as integer) as rank,
    cast(case when $tie_rule in ('rank', 'input') then rank else first_rank end as integer) as first_rank,
    document_id,
    score
from ranked

-- title: Ranks of the staged rows of topics whose lines do not stand in the order of the ranking
-- inputs: compared_rows, staged_lists
-- parameters:
--   tie_rule varchar in {trec_eval, trec_eval_10, rank, input} = trec_eval   how documents are ordered
-- columns:
--   position     place of the row among the staged ones
--   rank         place in the ranking from 1
--   first_rank   place of the first document of the same strength, if the tie rule goes by the score
with ranked as (
    select
        compared_rows.position,
        row_number() over (
            partition by staged_lists.run_id, staged_lists.topic_id
            order by compared_rows.given, compared_rows.strength desc, compared_rows.document desc
        ) as rank,
        rank() over (
            partition by staged_lists.run_id, staged_lists.topic_id
            order by compared_rows.given, compared_rows.strength desc
        ) as first_rank
    from compared_rows
    join staged_lists
        on staged_lists.file_id = compared_rows.file_id
        and staged_lists.topic = compared_rows.topic
    where not staged_lists.is_ordered
)
select
    position,
    cast(rank as integer) as rank,
    cast(case when $tie_rule in ('rank', 'input') then rank else first_rank end as integer) as first_rank
from ranked

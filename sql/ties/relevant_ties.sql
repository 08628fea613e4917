-- title: Ties that hold relevant documents, single documents among them, with the relevant documents above
-- parameters: rel, judged_only
-- columns: evaluation_id
--   first_rank   rank of the tie's first document
--   last_rank    rank of its last
--   num_rel      relevant documents in it
--   rel_above    relevant documents above it
with relevant as (
    select
        evaluation_id,
        first_rank,
        last_rank,
        -- As in relevant_ranks.
        case
            when $rel = 1 then relevant_rank
            else row_number() over (
                partition by evaluation_id
                order by rank
            )
        end as relevant_rank
    from tied_documents(judged_only := $judged_only)
    where grade >= $rel
)
select
    evaluation_id,
    first_rank,
    last_rank,
    count(*) as num_rel,
    cast(min(relevant_rank) - 1 as integer) as rel_above
from relevant
group by evaluation_id, first_rank, last_rank

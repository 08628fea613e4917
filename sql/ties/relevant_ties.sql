-- title: Ties that hold relevant documents, single documents among them, with the relevant documents above
-- parameters: rel, judged_only
-- columns:
--   evaluation_id   key of the evaluation
--   first_rank      rank of the tie's first document
--   last_rank       rank of its last
--   num_rel         relevant documents in it
--   rel_above       relevant documents above it
with relevant as (
    select
        evaluation_id,
        first_rank,
        last_rank,
        count(*) as num_rel
    from tied_documents(judged_only := $judged_only)
    where grade >= $rel
    group by evaluation_id, first_rank, last_rank
)
select
    evaluation_id,
    first_rank,
    last_rank,
    num_rel,
    cast(
        coalesce(
            sum(num_rel) over (
                partition by evaluation_id
                order by first_rank
                rows between unbounded preceding and 1 preceding
            ),
            0
        ) as integer
    ) as rel_above
from relevant

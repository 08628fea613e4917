-- title: Ties that hold judged documents, single documents among them, with the judgments in and above each
-- parameters: rel, judged_only
-- columns: evaluation_id
--   first_rank       rank of the tie's first document
--   last_rank        rank of its last
--   num_rel          relevant documents in it
--   num_nonrel       documents judged not relevant in it
--   num_unjudged     documents in it that are in the pool without a judgment: their grade is negative
--   rel_above        relevant documents above it
--   nonrel_above     documents judged not relevant above it
--   unjudged_above   documents in the pool without a judgment above it
with tied as (
    select
        evaluation_id,
        first_rank,
        last_rank,
        count(case when grade >= $rel then 1 end) as num_rel,
        count(case when grade >= 0 and grade < $rel then 1 end) as num_nonrel,
        count(case when grade < 0 then 1 end) as num_unjudged
    from tied_documents(judged_only := $judged_only)
    group by evaluation_id, first_rank, last_rank
)
select
    *,
    cast(coalesce(sum(num_rel) over above, 0) as integer) as rel_above,
    cast(coalesce(sum(num_nonrel) over above, 0) as integer) as nonrel_above,
    cast(coalesce(sum(num_unjudged) over above, 0) as integer) as unjudged_above
from tied
window above as (
    partition by evaluation_id
    order by first_rank
    rows between unbounded preceding and 1 preceding
)

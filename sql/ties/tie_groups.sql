-- title: Documents tied with each other, and single ones, with the judgments among and above them
-- parameters: rel, judged_only
-- columns:
--   evaluation_id    key of the evaluation
--   first_rank       place of the first of them
--   last_rank        place of the last of them
--   num_rel          relevant documents among them
--   num_nonrel       documents judged not relevant among them
--   num_unjudged     documents among them that are in the pool without a judgment: their grade is negative
--   rel_above        relevant documents above all of them
--   nonrel_above     documents judged not relevant above all of them
--   unjudged_above   documents in the pool without a judgment above all of them
with tied as (
    select
        evaluation_id,
        first_rank,
        last_rank,
        count(case when grade >= $rel then 1 end) as num_rel,
        count(case when grade >= 0 and grade < $rel then 1 end) as num_nonrel,
        count(case when grade < 0 then 1 end) as num_unjudged
    from counted_ranks(judged_only := $judged_only)
    group by evaluation_id, first_rank, last_rank
)
select
    evaluation_id,
    first_rank,
    last_rank,
    num_rel,
    num_nonrel,
    num_unjudged,
    cast(coalesce(sum(num_rel) over above, 0) as integer) as rel_above,
    cast(coalesce(sum(num_nonrel) over above, 0) as integer) as nonrel_above,
    cast(coalesce(sum(num_unjudged) over above, 0) as integer) as unjudged_above
from tied
window above as (
    partition by evaluation_id
    order by first_rank
    rows between unbounded preceding and 1 preceding
)

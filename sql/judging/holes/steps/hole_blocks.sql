-- title: The holes of each ranking down to the ends of blocks of 16 judged documents
-- parameters: k
-- columns: evaluation_id
--   block              number of the block, as ranks_in_blocks has it
--   holes_above        holes above its first judged document
--   judged_rank        judged documents down to its end
--   holes_down         holes down to its end
--   last_rank          its last rank, above the next judged document; it ends at the cutoff at the latest
--   judged_ranks       sum of the ranks of the judged documents down to it
--   judged_discounts   sum of their discounts, 1 / log2(rank + 1)
with blocks as (
    select
        evaluation_id,
        block,
        min(rank) as first_rank,
        max(judged_rank) as judged_rank,
        sum(rank) as judged_ranks,
        sum(case when rank > 0 then 1 / log2(rank + 1) else 0 end) as judged_discounts
    from ranks_in_blocks(k := $k)
    group by evaluation_id, block
),
ends as (
    select
        blocks.evaluation_id,
        blocks.block,
        blocks.first_rank - greatest(16 * blocks.block - 15, 0) as holes_above,
        blocks.judged_rank,
        coalesce(
            lead(blocks.first_rank) over down - 1,
            least(coalesce($k, evaluated_topics.num_ret), evaluated_topics.num_ret)
        ) as last_rank,
        sum(blocks.judged_ranks) over down as judged_ranks,
        sum(blocks.judged_discounts) over down as judged_discounts
    from blocks
    join evaluated_topics using (evaluation_id)
    window down as (
        partition by blocks.evaluation_id
        order by blocks.block
        rows between unbounded preceding and current row
    )
)
select
    evaluation_id,
    block,
    holes_above,
    judged_rank,
    last_rank - judged_rank as holes_down,
    last_rank,
    judged_ranks,
    judged_discounts
from ends

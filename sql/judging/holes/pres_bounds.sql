-- title: The least and the greatest PRES, whatever grades the unjudged documents have
-- parameters: k, rel, most, unseen
--   k integer in [1, inf) = 1000    documents that the reader is willing to look at
-- columns: qrels, run, topic, least, greatest
-- definition: With r of the R relevant documents among the first k, and S the sum of their ranks, PRES is
--    (r k + r (r + 1) / 2 - S) / (k R). With the number of relevant holes given it is greatest where the highest are
--    relevant, and least where the lowest are. Extremes over that number. All that is unseen is relevant at the least, and
--    nothing of it at the greatest.
with holes as materialized (
    select
        evaluation_id,
        row_number() over down as from_above,
        row_number() over up as from_below,
        sum(rank) over down as above,
        sum(rank) over up as below
    from hole_ranks(k := $k)
    where grade is null
    window
        down as (
            partition by evaluation_id
            order by rank
            rows between unbounded preceding and current row
        ),
        up as (
            partition by evaluation_id
            order by rank desc
            rows between unbounded preceding and current row
        )
),
candidates as (
    select evaluation_id, 'least' as bound, from_below as num_new, below as rank_sum from holes
    union all
    select evaluation_id, 'greatest' as bound, from_above as num_new, above as rank_sum from holes
    union all
    select evaluation_id, 'least' as bound, 0 as num_new, 0 as rank_sum from asked_evaluations()
    union all
    select evaluation_id, 'greatest' as bound, 0 as num_new, 0 as rank_sum from asked_evaluations()
),
judged_sums as (
    select
        evaluation_id,
        sum(rank) as rank_sum
    from relevant_ranks(rel := $rel)
    where rank <= $k
    group by evaluation_id
),
totals as (
    select
        counts.qrels,
        counts.run,
        counts.topic,
        candidates.bound,
        cast(counts.num_rel_ret + candidates.num_new as double) as found,
        coalesce(judged_sums.rank_sum, 0) + candidates.rank_sum as rank_sum,
        counts.num_rel
            + candidates.num_new
            + case when candidates.bound = 'least' then counts.new_unseen else 0 end as num_rel
    from candidates
    join hole_counts(k := $k, rel := $rel, most := $most, unseen := $unseen) as counts
        on counts.evaluation_id = candidates.evaluation_id
    left join judged_sums on judged_sums.evaluation_id = candidates.evaluation_id
    where candidates.num_new <= counts.new_rel
),
valued as (
    select
        qrels,
        run,
        topic,
        bound,
        coalesce((found * $k + found * (found + 1) / 2 - rank_sum) / nullif(cast(num_rel as double) * $k, 0), 0) as value
    from totals
)
select
    qrels,
    run,
    topic,
    min(case when bound = 'least' then value end) as least,
    max(case when bound = 'greatest' then value end) as greatest
from valued
group by qrels, run, topic

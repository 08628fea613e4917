-- title: The share of documents down to some ranks that nobody judged
-- columns: qrels, run
--   k              rank down to which documents are counted: 1, 2, 5, 10, 20, 50, ... as far as the run goes
--   num_ret        documents retrieved among the first k, over all topics
--   num_unjudged   those without a judgment; a negative grade is one
--   unjudged       their share
with depths as (
    select
        listed.k,
        listed.before
    from (
        values (1, 0), (2, 1), (5, 2), (10, 5), (20, 10), (50, 20), (100, 50), (200, 100), (500, 200), (1000, 500)
    ) as listed(k, before)
),
retrieved_down as (
    select
        evaluated_topics.qrels,
        evaluated_topics.run,
        depths.k,
        sum(least(evaluated_topics.num_ret, depths.k)) as num_ret
    from evaluated_topics
    cross join depths
    group by evaluated_topics.qrels, evaluated_topics.run, depths.k, depths.before
    having max(evaluated_topics.num_ret) > depths.before
),
judged_down as (
    select
        evaluated_topics.qrels,
        evaluated_topics.run,
        depths.k,
        count(*) as num_judged
    from asked_ranks() as judged_ranks
    join evaluated_topics using (evaluation_id)
    join depths on judged_ranks.rank <= depths.k
    group by evaluated_topics.qrels, evaluated_topics.run, depths.k
)
select
    retrieved_down.qrels,
    retrieved_down.run,
    retrieved_down.k,
    retrieved_down.num_ret,
    retrieved_down.num_ret - coalesce(judged_down.num_judged, 0) as num_unjudged,
    cast(retrieved_down.num_ret - coalesce(judged_down.num_judged, 0) as double) / retrieved_down.num_ret as unjudged
from retrieved_down
left join judged_down using (qrels, run, k)

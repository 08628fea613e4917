-- title: What the weights of the first ranks add up to
-- parameters: k, discounted, unseen
--   discounted boolean = true   whether a rank weighs 1 / log2(rank + 1); else each weighs 1
-- columns:
--   num_documents   documents, from 0 to the cutoff or to as many as a topic has, judged and not
--   total           sum of the weights of so many first ranks
with judged_counts as (
    select count(*) as num_documents
    from judged_documents
    group by qrels_id, topic_id
),
hole_totals as (
    select
        num_holes + coalesce($unseen, 0) as num_documents
    from pooled_holes(k := $k)
),
numbers as (
    select unnest(
        range(
            0,
            1 + least(
                coalesce($k, 2147483647),
                coalesce((select max(num_documents) from judged_counts), 0)
                + coalesce((select max(num_documents) from hole_totals), 0)
            )
        )
    ) as num_documents
)
select
    num_documents,
    sum(case when num_documents = 0 then 0 when $discounted then 1 / log2(num_documents + 1) else 1 end) over (
        order by num_documents
        rows between unbounded preceding and current row
    ) as total
from numbers

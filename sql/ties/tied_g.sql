-- title: G in the worst or the best order of tied documents, or expected over all orders
-- definition: What a document adds depends on which documents are above it, not on their order. So of all orders of a
--    set of documents one is kept, and a document more is added to each set until all of the tie are in it. What is
--    expected is the sum over all sets, of what each document adds times the probability that it stands below the set.
-- parameters: gains, ties in {worst, best, expected} = best
-- columns: qrels, run, topic, value
with recursive additions as (
    select *
    from gain_additions(gains := $gains, ties := $ties)
),
orders as (
    select distinct
        evaluation_id,
        first_rank,
        cast(0 as double) as set_number,
        false as is_last,
        cast(0 as double) as total
    from additions
    where
        num_kinds > 1
        and $ties <> 'expected'
    union all
    select
        evaluation_id,
        first_rank,
        set_number,
        is_last,
        total
    from (
        select
            additions.evaluation_id as evaluation_id,
            additions.first_rank as first_rank,
            additions.next_number as set_number,
            additions.is_last as is_last,
            orders.total + additions.addition as total,
            row_number() over (
                partition by additions.evaluation_id, additions.first_rank, additions.next_number
                order by (orders.total + additions.addition) * case when $ties = 'best' then -1 else 1 end
            ) as order_number
        from orders
        join additions using (evaluation_id, first_rank, set_number)
    ) as longer
    where order_number = 1
),
tie_totals as (
    select
        evaluation_id,
        first_rank,
        total
    from orders
    where is_last
    union all
    select
        evaluation_id,
        first_rank,
        fsum(addition) as total
    from additions
    where
        num_kinds = 1
        or $ties = 'expected'
    group by evaluation_id, first_rank
),
sums as (
    select
        gain_kinds.evaluation_id as evaluation_id,
        count(*) - count(tie_totals.total) as num_unknown,
        fsum(tie_totals.total) as total
    from gain_kinds(gains := $gains) as gain_kinds
    left join tie_totals using (evaluation_id, first_rank)
    where gain_kinds.kind_number = 1
    group by gain_kinds.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case
        when sums.num_unknown > 0 and ideal_totals.total_gain > 0 then null
        else coalesce(sums.total / ideal_totals.total_gain, 0)
    end as value
from evaluated_topics
left join ideal_totals(gains := $gains) as ideal_totals using (qrels_id, topic_id)
left join sums using (evaluation_id)

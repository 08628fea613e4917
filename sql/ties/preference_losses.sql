-- title: What the best order of tied documents must forgo where their preferences go in a circle
-- parameters:
--   pairs varchar in {all, implied, retrieved} = all   preferences that count: all; those with a document
--                                                      retrieved; those with both retrieved
--   unit varchar in {one, share, group} = one   what a preference adds: 1; its share of the groups that have one
--                                     between the two; or 1 divided by the preferences that count of the group
--   most_docs integer = 14    circles of more documents than these are not solved, nor are ties with more than 100
--                             documents in which there may be one
-- columns:
--   evaluation_id   key of the evaluation
--   loss            sum of the net preferences that no order fulfils together; null where a circle is not solved
with recursive circles as (
    select
        evaluation_id,
        document_id,
        circle_id,
        nth,
        num_docs,
        pow(2, nth) as step
    from preference_cycles(pairs := $pairs, unit := $unit)
),
meetings as (
    -- What is lost where the one document stands above the other.
    select
        lower_doc.evaluation_id as evaluation_id,
        lower_doc.circle_id as circle_id,
        lower_doc.step as step,
        upper_doc.nth as upper_nth,
        upper_doc.step as upper_step,
        lower_doc.num_docs as num_docs,
        coalesce(nets.net, 0) as loss
    from circles as lower_doc
    join circles as upper_doc
        on upper_doc.evaluation_id = lower_doc.evaluation_id
        and upper_doc.circle_id = lower_doc.circle_id
        and upper_doc.document_id <> lower_doc.document_id
    left join net_preferences(pairs := $pairs, unit := $unit) as nets
        on nets.evaluation_id = lower_doc.evaluation_id
        and nets.better_id = lower_doc.document_id
        and nets.worse_id = upper_doc.document_id
    where lower_doc.num_docs <= $most_docs
),
additions as (
    -- A document below each set of others, which is a number with a binary digit for each document.
    select distinct
        evaluation_id,
        circle_id,
        step,
        cast(-1 as bigint) as last_nth,
        cast(0 as double) as set_number,
        cast(0 as double) as loss,
        pow(2, num_docs) - 1 as last_number
    from meetings
    union all
    select
        additions.evaluation_id,
        additions.circle_id,
        additions.step,
        meetings.upper_nth as last_nth,
        additions.set_number + meetings.upper_step as set_number,
        additions.loss + meetings.loss as loss,
        additions.last_number
    from additions
    join meetings
        on meetings.evaluation_id = additions.evaluation_id
        and meetings.circle_id = additions.circle_id
        and meetings.step = additions.step
        and meetings.upper_nth > additions.last_nth
),
orders as (
    -- What is lost by the next document depends on which are above it, not on their order: of each set one is kept.
    select distinct
        evaluation_id,
        circle_id,
        cast(0 as double) as set_number,
        false as is_last,
        cast(0 as double) as loss
    from additions
    union all
    select
        evaluation_id,
        circle_id,
        set_number,
        is_last,
        loss
    from (
        select
            additions.evaluation_id as evaluation_id,
            additions.circle_id as circle_id,
            additions.set_number + additions.step as set_number,
            additions.set_number + additions.step = additions.last_number as is_last,
            orders.loss + additions.loss as loss,
            row_number() over (
                partition by
                    additions.evaluation_id,
                    additions.circle_id,
                    additions.set_number + additions.step
                order by orders.loss + additions.loss
            ) as place
        from orders
        join additions
            on additions.evaluation_id = orders.evaluation_id
            and additions.circle_id = orders.circle_id
            and additions.set_number = orders.set_number
    ) as longer
    where place = 1
),
totals as (
    select
        evaluation_id,
        sum(loss) as loss,
        count(*) as num_solved
    from orders
    where is_last
    group by evaluation_id
),
circle_counts as (
    select
        evaluation_id,
        count(*) as num_circles
    from circles
    where
        nth = 0
        or nth is null
    group by evaluation_id
)
select
    circle_counts.evaluation_id as evaluation_id,
    case when totals.num_solved = circle_counts.num_circles then totals.loss end as loss
from circle_counts
left join totals on totals.evaluation_id = circle_counts.evaluation_id

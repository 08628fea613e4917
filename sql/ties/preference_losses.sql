-- title: What the best order of tied documents must forgo where their preferences form cycles
-- definition: In each cycle the order is sought that loses least. What a document loses depends on which others stand
--    above it, not on their order, so that of each set of documents only the best order is kept.
-- parameters: pairs, unit, most_docs
--   most_docs integer = 14    cycles of more documents than these are not solved, nor are ties of more than 100
--                             documents in which there may be one
-- columns: evaluation_id
--   loss   weight of the net preferences that no order fulfils together; null where a cycle is not solved
with recursive cycles as (
    select
        *,
        pow(2, number_in_cycle) as bit
    from preference_cycles(pairs := $pairs, unit := $unit)
),
pair_losses as (
    -- What is lost where the one document stands above the other.
    select
        lower_doc.evaluation_id as evaluation_id,
        lower_doc.cycle_id as cycle_id,
        lower_doc.bit as bit,
        upper_doc.number_in_cycle as upper_number,
        upper_doc.bit as upper_bit,
        lower_doc.num_docs as num_docs,
        coalesce(nets.net, 0) as loss
    from cycles as lower_doc
    join cycles as upper_doc
        on upper_doc.evaluation_id = lower_doc.evaluation_id
        and upper_doc.cycle_id = lower_doc.cycle_id
        and upper_doc.document_id <> lower_doc.document_id
    left join net_preferences(pairs := $pairs, unit := $unit) as nets
        on nets.evaluation_id = lower_doc.evaluation_id
        and nets.better_id = lower_doc.document_id
        and nets.worse_id = upper_doc.document_id
    where lower_doc.num_docs <= $most_docs
),
set_losses as (
    -- A document below each set of others, the set being a number with a binary digit for each document.
    select distinct
        evaluation_id,
        cycle_id,
        bit,
        cast(-1 as bigint) as last_number,
        cast(0 as double) as set_above,
        cast(0 as double) as loss,
        pow(2, num_docs) - 1 as whole_set
    from pair_losses
    union all
    select
        set_losses.evaluation_id,
        set_losses.cycle_id,
        set_losses.bit,
        pair_losses.upper_number as last_number,
        set_losses.set_above + pair_losses.upper_bit as set_above,
        set_losses.loss + pair_losses.loss as loss,
        set_losses.whole_set
    from set_losses
    join pair_losses
        on pair_losses.evaluation_id = set_losses.evaluation_id
        and pair_losses.cycle_id = set_losses.cycle_id
        and pair_losses.bit = set_losses.bit
        and pair_losses.upper_number > set_losses.last_number
),
best_orders as (
    select distinct
        evaluation_id,
        cycle_id,
        cast(0 as double) as ordered_set,
        false as is_whole,
        cast(0 as double) as loss
    from set_losses
    union all
    select
        evaluation_id,
        cycle_id,
        ordered_set,
        is_whole,
        loss
    from (
        select
            set_losses.evaluation_id as evaluation_id,
            set_losses.cycle_id as cycle_id,
            set_losses.set_above + set_losses.bit as ordered_set,
            set_losses.set_above + set_losses.bit = set_losses.whole_set as is_whole,
            best_orders.loss + set_losses.loss as loss,
            row_number() over (
                partition by
                    set_losses.evaluation_id,
                    set_losses.cycle_id,
                    set_losses.set_above + set_losses.bit
                order by best_orders.loss + set_losses.loss
            ) as number_by_loss
        from best_orders
        join set_losses
            on set_losses.evaluation_id = best_orders.evaluation_id
            and set_losses.cycle_id = best_orders.cycle_id
            and set_losses.set_above = best_orders.ordered_set
    ) as longer_orders
    where number_by_loss = 1
),
totals as (
    select
        evaluation_id,
        sum(loss) as loss,
        count(*) as num_solved
    from best_orders
    where is_whole
    group by evaluation_id
),
cycle_counts as (
    select
        evaluation_id,
        count(*) as num_cycles
    from cycles
    where
        number_in_cycle = 0
        or number_in_cycle is null
    group by evaluation_id
)
select
    cycle_counts.evaluation_id as evaluation_id,
    case when totals.num_solved = cycle_counts.num_cycles then totals.loss end as loss
from cycle_counts
left join totals using (evaluation_id)

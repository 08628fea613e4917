-- title: What the documents of each tie, and each single one, add to a mean over judgment groups in the worst or best order
-- parameters:
--   rel integer in [0, inf) = 1     least grade that counts as relevant
--   judged_only boolean = false     whether ranks count only documents to which the group gave a grade of 0 or
--                                   more
--   measure varchar in {AP, P, Rprec} = AP   which measure is averaged over the groups
--   depth double = 1.0               of P the cutoff, of Rprec the cutoff as a multiple of the relevant documents
--   ties varchar in {worst, best} = best   the worst or the best order
--   most_sets integer = 5000        most sets of documents of a tie that are tried
-- columns:
--   evaluation_id   key of the evaluation
--   first_rank      place of the first document of the tie
--   total           what they add; null where there are more sets of documents than are tried
with recursive divisors as (
    select
        qrels_id,
        topic_id,
        judgment_group,
        count(*) over (partition by qrels_id, topic_id) as num_groups,
        num_rel,
        case
            when $measure = 'P' then $depth
            else floor($depth * num_rel + cast(0.9 as double))
        end as cutoff
    from group_facts(rel := $rel)
),
kinds as (
    select
        evaluation_id,
        first_rank,
        nth,
        num_docs,
        step,
        judgment_group,
        is_rel
    from group_kinds(rel := $rel, judged_only := $judged_only)
    where num_sets <= $most_sets
),
members as (
    select
        sets.evaluation_id as evaluation_id,
        sets.first_rank as first_rank,
        sets.set_number as set_number,
        sets.num_docs as num_above,
        kinds.nth as nth,
        kinds.step as step,
        kinds.judgment_group as judgment_group,
        kinds.is_rel as is_rel,
        kinds.num_docs as num_docs,
        floor(sets.set_number / kinds.step)
            - (kinds.num_docs + 1) * floor(sets.set_number / (kinds.step * (kinds.num_docs + 1))) as num_members
    from group_sets(rel := $rel, judged_only := $judged_only, most_sets := $most_sets) as sets
    join kinds
        on kinds.evaluation_id = sets.evaluation_id
        and kinds.first_rank = sets.first_rank
),
counted as (
    select
        evaluation_id,
        first_rank,
        set_number,
        num_docs,
        nth,
        step,
        num_members,
        judgment_group,
        is_rel,
        num_above,
        sum(num_members * is_rel) over by_group as num_rel,
        sum(num_members) over by_group as num_judged
    from members
    window by_group as (partition by evaluation_id, first_rank, set_number, judgment_group)
),
placed as (
    select
        counted.evaluation_id as evaluation_id,
        counted.first_rank as first_rank,
        counted.set_number as set_number,
        counted.step as step,
        divisors.num_groups as num_groups,
        divisors.num_rel as num_rel,
        divisors.cutoff as cutoff,
        tops.rel_above + counted.num_rel + 1 as nth_rel,
        tops.docs_above + case when $judged_only then counted.num_judged else counted.num_above end + 1 as rank
    from counted
    join evaluations on evaluations.evaluation_id = counted.evaluation_id
    join divisors
        on divisors.qrels_id = evaluations.qrels_id
        and divisors.topic_id = evaluations.topic_id
        and divisors.judgment_group = counted.judgment_group
    join group_tops(rel := $rel, judged_only := $judged_only, ties := $ties) as tops
        on tops.evaluation_id = counted.evaluation_id
        and tops.first_rank = counted.first_rank
        and tops.judgment_group = counted.judgment_group
    where
        counted.is_rel = 1
        and counted.num_members < counted.num_docs
),
worths as (
    select
        evaluation_id,
        first_rank,
        set_number,
        step,
        case
            when $measure = 'AP' then cast(nth_rel as double) / rank / num_rel
            when rank <= cutoff then 1 / nullif(cutoff, 0)
            else 0
        end / num_groups as worth
    from placed
),
additions as (
    -- A document of this kind below those of the set, whatever their order.
    select
        evaluation_id,
        first_rank,
        set_number,
        set_number + step as next_number,
        sum(worth) as worth
    from worths
    group by evaluation_id, first_rank, set_number, step
),
orders as (
    select distinct
        evaluation_id,
        first_rank,
        cast(0 as double) as set_number,
        cast(0 as double) as total
    from kinds
    union all
    select
        evaluation_id,
        first_rank,
        set_number,
        total
    from (
        select
            additions.evaluation_id as evaluation_id,
            additions.first_rank as first_rank,
            additions.next_number as set_number,
            orders.total + additions.worth as total,
            row_number() over (
                partition by additions.evaluation_id, additions.first_rank, additions.next_number
                order by (orders.total + additions.worth) * case when $ties = 'best' then -1 else 1 end
            ) as place
        from orders
        join additions
            on additions.evaluation_id = orders.evaluation_id
            and additions.first_rank = orders.first_rank
            and additions.set_number = orders.set_number
    ) as longer
    where place = 1
)
select distinct
    group_kinds.evaluation_id as evaluation_id,
    group_kinds.first_rank as first_rank,
    orders.total as total
from group_kinds(rel := $rel, judged_only := $judged_only) as group_kinds
left join orders
    on orders.evaluation_id = group_kinds.evaluation_id
    and orders.first_rank = group_kinds.first_rank
    and orders.set_number = group_kinds.num_sets - 1
where $ties in ('worst', 'best')

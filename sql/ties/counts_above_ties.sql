-- title: How many documents stand, for each judgment group, above those of a tie that are relevant to some group
-- parameters: rel, judged_only, ties
--   judged_only boolean = false   whether ranks count only documents to which the group gave a grade of 0 or more
--   ties varchar in {worst, best} = best   whether the other documents of the tie stand above them or below
-- columns: evaluation_id, first_rank, judgment_group
--   rel_above        documents above that are relevant to the group
--   docs_above       documents above, in the ranking as the group has it
with counted as (
    select
        evaluation_id,
        judgment_group,
        first_rank,
        count(case when judgment = 2 then 1 end) as num_rel,
        count(case when judgment > 0 then 1 end) as num_judged,
        count(case when judgment > 0 and not is_relevant then 1 end) as num_others
    from group_judgments(rel := $rel, judged_only := $judged_only)
    group by evaluation_id, judgment_group, first_rank
),
sizes as (
    select
        evaluation_id,
        first_rank,
        max(last_rank) - first_rank + 1 - count(distinct document_id) as num_others
    from group_judgments(rel := $rel, judged_only := $judged_only)
    where is_relevant
    group by evaluation_id, first_rank
),
summed as (
    select
        *,
        sum(num_rel) over up_to - num_rel as rel_above,
        sum(num_judged) over up_to - num_judged as judged_above
    from counted
    window up_to as (
        partition by evaluation_id, judgment_group
        order by first_rank
        rows between unbounded preceding and current row
    )
)
select
    summed.evaluation_id as evaluation_id,
    summed.first_rank as first_rank,
    summed.judgment_group as judgment_group,
    summed.rel_above as rel_above,
    case when $judged_only then summed.judged_above else summed.first_rank - 1 end
        + case
            when $ties = 'best' then 0
            when $judged_only then summed.num_others
            else sizes.num_others
        end as docs_above
from summed
join sizes
    on sizes.evaluation_id = summed.evaluation_id
    and sizes.first_rank = summed.first_rank

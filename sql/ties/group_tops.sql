-- title: What stands, for each judgment group, above the documents of a tie that some group finds relevant
-- parameters: rel, judged_only, ties
--   judged_only boolean = false     whether ranks count only documents to which the group gave a grade of 0 or
--                                   more
--   ties varchar in {worst, best} = best   whether the other documents of the tie stand above them or below
-- columns:
--   evaluation_id    key of the evaluation
--   first_rank       place of the first document of the tie
--   judgment_group   iteration of the judgments, which names the group
--   rel_above        documents above that the group finds relevant
--   docs_above       documents above, in the ranking as the group has it
with counted as (
    select
        evaluation_id,
        judgment_group,
        first_rank,
        count(case when state = 2 then 1 end) as num_rel,
        count(case when state > 0 then 1 end) as num_judged,
        count(case when state > 0 and not is_wanted then 1 end) as num_unwanted
    from group_states(rel := $rel, judged_only := $judged_only)
    group by evaluation_id, judgment_group, first_rank
),
sizes as (
    select
        evaluation_id,
        first_rank,
        max(last_rank) - first_rank + 1 - count(distinct document_id) as num_unwanted
    from group_states(rel := $rel, judged_only := $judged_only)
    where is_wanted
    group by evaluation_id, first_rank
),
summed as (
    select
        evaluation_id,
        judgment_group,
        first_rank,
        num_unwanted,
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
            when $judged_only then summed.num_unwanted
            else sizes.num_unwanted
        end as docs_above
from summed
join sizes
    on sizes.evaluation_id = summed.evaluation_id
    and sizes.first_rank = summed.first_rank

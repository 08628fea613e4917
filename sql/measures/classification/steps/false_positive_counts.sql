-- title: How many documents that are not relevant stand among the first k
-- parameters: k, rel, nonrelevant, ties
-- columns:
--   evaluation_id   key of the evaluation
--   num_false       documents not relevant among the first k
with reached as (
    select
        evaluation_id,
        num_nonrel,
        last_rank - first_rank + 1 as size,
        least(coalesce($k, last_rank), last_rank) - first_rank + 1 as num_seen
    from tie_groups(rel := $rel)
    where
        $nonrelevant = 'judged'
        and $ties <> 'rule'
        and first_rank <= coalesce($k, first_rank)
),
seen as (
    select
        evaluation_id,
        cast(1 as double) as share
    from judged_ranks
    where
        $nonrelevant = 'judged'
        and $ties = 'rule'
        and grade >= 0
        and grade < $rel
        and rank <= coalesce($k, rank)
    union all
    select
        evaluation_id,
        case
            when $ties = 'worst' then least(num_nonrel, num_seen)
            when $ties = 'best' then greatest(num_seen - (size - num_nonrel), 0)
            else cast(num_nonrel as double) * num_seen / size
        end as share
    from reached
),
judged_false as (
    select
        evaluation_id,
        sum(share) as total
    from seen
    group by evaluation_id
)
select
    evaluated_topics.evaluation_id as evaluation_id,
    case
        when $nonrelevant = 'judged' then coalesce(judged_false.total, 0)
        else least(coalesce($k, evaluated_topics.num_ret), evaluated_topics.num_ret) - coalesce(relevant_retrieved.num_rel_ret, 0)
    end as num_false
from evaluated_topics
left join judged_false on judged_false.evaluation_id = evaluated_topics.evaluation_id
left join relevant_retrieved(k := $k, rel := $rel, ties := $ties) as relevant_retrieved
    on relevant_retrieved.evaluation_id = evaluated_topics.evaluation_id

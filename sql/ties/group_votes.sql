-- title: Places of the documents that some judgment group finds relevant, those of a tie by how many groups do
-- parameters: rel, ties
--   ties varchar in {worst, best} = best   whether those that most groups find relevant stand at the top or the
--                                   bottom of their tie
-- columns:
--   evaluation_id   key of the evaluation
--   rank            place in the ranking
--   num_votes       groups that find the document relevant
with counted as (
    select
        evaluation_id,
        first_rank,
        last_rank,
        document_id,
        count(*) as num_votes
    from group_states(rel := $rel)
    where state = 2
    group by evaluation_id, first_rank, last_rank, document_id
),
sorted as (
    select
        evaluation_id,
        first_rank,
        last_rank,
        num_votes,
        row_number() over (
            partition by evaluation_id, first_rank
            order by num_votes desc
        ) as nth
    from counted
)
select
    evaluation_id,
    case when $ties = 'best' then first_rank + nth - 1 else last_rank - nth + 1 end as rank,
    num_votes
from sorted

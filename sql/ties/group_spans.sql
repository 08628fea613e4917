-- title: Places of the documents that each judgment group finds relevant, or those over which ties spread them
-- parameters: rel, judged_only, ties
--   judged_only boolean = false   whether ranks count only documents to which the group gave a grade of 0 or
--                                 more
--   ties varchar in {rule, expected} = rule   order of tied documents: the tie rule's, where each document has
--                                 one place; or what is expected over all orders, where tied ones share theirs
-- columns:
--   evaluation_id    key of the evaluation
--   judgment_group   iteration of the judgments, which names the group
--   first_rank       first of the places
--   last_rank        last of the places
--   num_rel          relevant documents there
with tied as (
    -- Where ranks leave documents out, those kept of a tie are tied in the places left, in every order alike.
    select
        evaluation_id,
        judgment_group,
        min(case when $judged_only then rank else first_rank end) as first_place,
        max(case when $judged_only then rank else last_rank end) as last_place,
        count(case when grade >= $rel then 1 end) as num_rel
    from group_ranks(judged_only := $judged_only)
    where $ties = 'expected'
    group by evaluation_id, judgment_group, first_rank, last_rank
)
select
    evaluation_id,
    judgment_group,
    rank as first_rank,
    rank as last_rank,
    1 as num_rel
from group_ranks(judged_only := $judged_only)
where
    grade >= $rel
    and $ties = 'rule'
union all
select
    evaluation_id,
    judgment_group,
    first_place as first_rank,
    last_place as last_rank,
    num_rel
from tied
where num_rel > 0

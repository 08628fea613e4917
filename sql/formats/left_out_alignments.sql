-- title: Staged rows of runs that are left out: a topic among its own documents, and further rows of a pair
-- inputs: staged
-- parameters:
--   only_best boolean = true         whether a topic and a document keep their best row only
--   without_self boolean = true      whether the topic itself is left out
--   lower_is_better boolean = true   whether the lowest score is the best
-- columns:
--   row_id    row of the staged table
--   is_self   whether document and topic are the same
select
    row_id,
    topic = document as is_self
from staged
where
    $without_self
    and topic = document
union all
select
    row_id,
    false as is_self
from (
    select
        row_id,
        row_number() over (
            partition by owner_id, topic, document
            order by case when $lower_is_better then score else -score end, row_id
        ) as place
    from staged
    where
        $only_best
        and not ($without_self and topic = document)
) as placed
where place > 1

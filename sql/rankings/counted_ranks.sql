-- title: Judged documents with their ranks, or with their ranks among judged documents only
-- parameters:
--   judged_only boolean = false   whether documents without a grade of 0 or more are left out of the rankings
-- columns:
--   evaluation_id   key of the evaluation
--   rank            place in the ranking
--   first_rank      place of the first document tied with it
--   last_rank       place of the last document tied with it
--   grade           grade; a negative one is no judgment
--   document_id     key of the document
with kept as (
    select
        evaluation_id,
        rank,
        first_rank,
        row_number() over (
            partition by evaluation_id
            order by rank
        ) as place,
        grade,
        document_id
    from judged_ranks
    where
        grade >= 0
        and $judged_only
)
select
    evaluation_id,
    rank,
    first_rank,
    last_rank,
    grade,
    document_id
from judged_ranks
where not $judged_only
union all
select
    evaluation_id,
    cast(place as integer) as rank,
    cast(min(place) over tied as integer) as first_rank,
    cast(max(place) over tied as integer) as last_rank,
    grade,
    document_id
from kept
window tied as (partition by evaluation_id, first_rank)

-- title: Places of the retrieved documents that have a judgment, in the ranking or in what is judged of it
-- parameters:
--   judged_only boolean = false   whether places count only documents with a grade of 0 or more in any iteration
-- columns:
--   evaluation_id   key of the evaluation
--   document_id     key of the document
--   rank            its place
--   first_rank      place of the first document tied with it; rank where there is none
--   last_rank       place of the last document tied with it
with counted as (
    select
        evaluation_id,
        document_id,
        first_rank,
        row_number() over (
            partition by evaluation_id
            order by rank
        ) as place
    from judged_ranks
    where
        grade >= 0
        and $judged_only
),
tied as (
    -- Those kept of a tie are tied in the places left.
    select
        evaluation_id,
        first_rank,
        min(place) as first_place,
        max(place) as last_place
    from counted
    group by evaluation_id, first_rank
)
select
    evaluation_id,
    document_id,
    rank,
    first_rank,
    last_rank
from judged_ranks
where not $judged_only
union all
select
    counted.evaluation_id as evaluation_id,
    counted.document_id as document_id,
    counted.place as rank,
    tied.first_place as first_rank,
    tied.last_place as last_rank
from counted
join tied
    on tied.evaluation_id = counted.evaluation_id
    and tied.first_rank = counted.first_rank

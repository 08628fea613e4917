-- title: Ranks of the retrieved documents that are judged not relevant, with how many of them stand down to each
-- parameters: k, rel
-- columns: evaluation_id
--   rank          rank of such a document
--   judged_rank   documents with a grade of 0 or more down to it
--   others_down   documents judged not relevant down to it, itself among them
select
    evaluation_id,
    rank,
    judged_rank,
    cast(
        row_number() over (
            partition by evaluation_id
            order by rank
        ) as integer
    ) as others_down
from asked_ranks()
where
    grade >= 0
    and grade < $rel
    and rank <= coalesce($k, 2147483647)

-- title: What gains_by_rank is expected to give over all orders of tied documents
-- definition: Each rank of a tie is expected to have the tie's mean gain.
-- parameters: dcg, gains, judged_only, min_rel, max_rel
--   min_rel integer in [0, inf) = 0          grade up to which dcg gives 0, and less by it to those above
--   max_rel integer in [0, inf) = null       grade that dcg takes greater ones for; null is none
-- columns:
--   evaluation_id   key of the evaluation
--   rank            a rank
--   gain            mean gain of the documents that may stand there
with tied as (
    select
        tied_documents.evaluation_id,
        tied_documents.first_rank,
        tied_documents.last_rank,
        sum(grade_gains.gain) / (tied_documents.last_rank - tied_documents.first_rank + 1) as gain
    from tied_documents(judged_only := $judged_only) as tied_documents
    join grade_gains(dcg := $dcg, gains := $gains, min_rel := $min_rel, max_rel := $max_rel) as grade_gains
        on grade_gains.grade = tied_documents.grade
    where grade_gains.gain <> 0
    group by tied_documents.evaluation_id, tied_documents.first_rank, tied_documents.last_rank
)
select
    evaluation_id,
    first_rank as rank,
    gain
from tied
where first_rank = last_rank
union all
select
    tied.evaluation_id,
    ranks_to_longest.rank,
    tied.gain
from tied
join ranks_to_longest on ranks_to_longest.rank between tied.first_rank and tied.last_rank
where tied.first_rank < tied.last_rank

-- title: The highest hole of each ranking, as a row of judged_ranks that has the grade that is worth most
-- parameters: k, most, gains
-- columns: evaluation_id
--   rank            place in the ranking
--   tied_above      0: the order is the tie rule's
--   tied_below      0
--   first_rank      rank
--   last_rank       rank
--   judged_rank     rank, as those above it are judged
--   relevant_rank   1 where it is relevant, else 0, as no other row is there
--   grade           the grade that the hole gets
--   document_id     0
with judged_above as (
    select
        evaluation_id,
        count(*) as num_documents
    from asked_ranks()
    where judged_rank = rank
    group by evaluation_id
),
hole_tops as (
    select
        counts.evaluation_id,
        coalesce(judged_above.num_documents, 0) + 1 as rank
    from hole_counts(k := $k, unseen := 0) as counts
    left join judged_above using (evaluation_id)
    where counts.num_holes > 0
)
select
    hole_tops.evaluation_id,
    hole_tops.rank,
    0 as tied_above,
    0 as tied_below,
    hole_tops.rank as first_rank,
    hole_tops.rank as last_rank,
    hole_tops.rank as judged_rank,
    case when filling_grades.grade >= 1 then 1 else 0 end as relevant_rank,
    filling_grades.grade,
    0 as document_id
from hole_tops
join asked_evaluations() as evaluations using (evaluation_id)
join filling_grades(most := $most, gains := $gains) as filling_grades
    on filling_grades.qrels_id = evaluations.qrels_id
    and filling_grades.unjudged = 'greatest'

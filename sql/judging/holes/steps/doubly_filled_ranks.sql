-- title: The rows of judged_ranks as they would be with the least and with the greatest grades of holes
-- parameters: k, most, gains
-- columns:
--   unjudged        whether holes are worth the least or the greatest possible
--   evaluation_id   key of the evaluation
--   rank            place in the ranking
--   tied_above      0: the order is the tie rule's
--   tied_below      0
--   first_rank      rank
--   last_rank       rank
--   judged_rank     rank: all down to the cutoff have a grade
--   relevant_rank   place among the documents with a grade of 1 or more; 0 where its own grade is below
--   grade           the document's grade, or the one that the hole gets
--   document_id     key of the document
with graded as (
    select
        filling_grades.unjudged,
        hole_ranks.evaluation_id,
        hole_ranks.document_id,
        hole_ranks.rank,
        coalesce(hole_ranks.grade, filling_grades.grade) as grade
    from hole_ranks(k := $k) as hole_ranks
    join filling_grades(most := $most, gains := $gains) as filling_grades
        on filling_grades.qrels_id = hole_ranks.qrels_id
)
select
    unjudged,
    evaluation_id,
    rank,
    0 as tied_above,
    0 as tied_below,
    rank as first_rank,
    rank as last_rank,
    rank as judged_rank,
    case
        when grade >= 1
        then row_number() over (
            partition by evaluation_id, unjudged, grade >= 1
            order by rank
        )
        else 0
    end as relevant_rank,
    grade,
    document_id
from graded

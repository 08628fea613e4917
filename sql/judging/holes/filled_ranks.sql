-- title: The rows of judged_ranks as they would be if somebody had judged all holes
-- definition: All holes down to the cutoff get the grade that is worth least, which is 0, or greatest. A measure that
--    never falls when a hole's grade rises has its bounds there: WITH judged_ranks AS (FROM a table of these rows).
-- parameters: k, most, gains, unjudged
--   unjudged varchar in {least, greatest} = greatest   whether holes are worth the least or the greatest possible
-- columns: evaluation_id
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
        hole_ranks.evaluation_id,
        hole_ranks.document_id,
        hole_ranks.rank,
        coalesce(hole_ranks.grade, filling_grades.grade) as grade
    from hole_ranks(k := $k) as hole_ranks
    join filling_grades(most := $most, gains := $gains) as filling_grades
        on filling_grades.qrels_id = hole_ranks.qrels_id
    where filling_grades.unjudged = $unjudged
)
select
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
            partition by evaluation_id, grade >= 1
            order by rank
        )
        else 0
    end as relevant_rank,
    grade,
    document_id
from graded

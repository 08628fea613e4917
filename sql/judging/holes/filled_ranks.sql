-- title: The rows of judged_ranks as they would be if somebody had judged all holes
-- definition: All holes down to the cutoff get the grade that is worth least, which is 0, or greatest. Those that are worth
--    nothing are left out, as they are without a judgment. A measure that never falls when a hole's grade rises has its
--    bounds there: WITH judged_ranks AS (FROM filled_ranks(...)).
-- parameters: k, most, gains, unjudged, holes
--   unjudged varchar in {least, greatest} = greatest   whether holes are worth the least or the greatest possible
--   holes integer in [1, inf) = null   hole at which the rows end, counted from the top; null is none
-- columns: evaluation_id
--   rank            place in the ranking
--   tied_above      0: the order is the tie rule's
--   tied_below      0
--   first_rank      rank
--   last_rank       rank
--   judged_rank     rank: all down to the cutoff have a grade
--   relevant_rank   place among the documents with a grade of 1 or more; 0 where its own grade is below
--   grade           the document's grade, or the one that the hole gets
--   document_id     key of the document; null of a hole
with filling as (
    select
        evaluations.evaluation_id as evaluation_id,
        filling_grades.grade,
        filling_grades.grade >= 1 as is_relevant,
        filling_grades.grade >= 1 or filling_grades.gain <> 0 as is_worth_something
    from asked_evaluations() as evaluations
    join filling_grades(most := $most, gains := $gains) as filling_grades using (qrels_id)
    where filling_grades.unjudged = $unjudged
),
hole_rows as (
    select
        evaluation_id,
        rel_above + holes_down - size as rel_above,
        last_rank - size as rank_above,
        unnest(range(1, least(size, coalesce($holes, 2147483647) - holes_down + size) + 1)) as place
    from hole_gaps(k := $k)
),
graded as (
    select
        ranks.evaluation_id as evaluation_id,
        ranks.rank as rank,
        case
            when ranks.grade < 1 then 0
            when filling.is_relevant then ranks.relevant_rank + ranks.rank - ranks.judged_rank
            else ranks.relevant_rank
        end as relevant_rank,
        ranks.grade as grade,
        ranks.document_id as document_id
    from asked_ranks() as ranks
    join filling using (evaluation_id)
    where
        ranks.grade >= 0
        and ranks.rank <= coalesce($k, 2147483647)
        and ranks.rank - ranks.judged_rank < coalesce($holes, 2147483647)
    union all
    select
        hole_rows.evaluation_id,
        hole_rows.rank_above + hole_rows.place as rank,
        case when filling.is_relevant then hole_rows.rel_above + hole_rows.place else 0 end as relevant_rank,
        filling.grade,
        null as document_id
    from hole_rows
    join filling using (evaluation_id)
    where filling.is_worth_something
)
select
    evaluation_id,
    rank,
    0 as tied_above,
    0 as tied_below,
    rank as first_rank,
    rank as last_rank,
    rank as judged_rank,
    relevant_rank,
    grade,
    document_id
from graded

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
--   document_id     key of the document; null of a hole
-- definition: Holes that are worth nothing are left out, as they are without a judgment.
with filling as (
    select *
    from filling_grades(most := $most, gains := $gains)
),
hole_rows as (
    select
        gaps.evaluation_id,
        gaps.rel_above + gaps.holes_down - gaps.size as rel_above,
        gaps.last_rank - gaps.size as rank_above,
        unnest(range(1, gaps.size + 1)) as place
    from hole_gaps(k := $k) as gaps
),
graded as (
    select
        filling.unjudged,
        ranks.evaluation_id,
        ranks.rank,
        case
            when ranks.grade < 1 then 0
            when filling.grade < 1 then ranks.relevant_rank
            else ranks.relevant_rank + ranks.rank - ranks.judged_rank
        end as relevant_rank,
        ranks.grade,
        ranks.document_id
    from asked_ranks() as ranks
    join asked_evaluations() as evaluations on evaluations.evaluation_id = ranks.evaluation_id
    join filling on filling.qrels_id = evaluations.qrels_id
    where
        ranks.grade >= 0
        and ranks.rank <= coalesce($k, 2147483647)
    union all
    select
        filling.unjudged,
        hole_rows.evaluation_id,
        hole_rows.rank_above + hole_rows.place as rank,
        case when filling.grade < 1 then 0 else hole_rows.rel_above + hole_rows.place end as relevant_rank,
        filling.grade,
        null as document_id
    from hole_rows
    join asked_evaluations() as evaluations on evaluations.evaluation_id = hole_rows.evaluation_id
    join filling on filling.qrels_id = evaluations.qrels_id
    where
        filling.grade >= 1
        or filling.gain <> 0
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
    relevant_rank,
    grade,
    document_id
from graded

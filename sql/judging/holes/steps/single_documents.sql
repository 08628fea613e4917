-- title: Rankings with one document each, at one rank after another, of the grades that are worth least and most
-- definition: What a measure gives to such a ranking is what a hole at that rank can add to it, where each document
--    adds its own part. Runs and topics lend their names; of a judgment set there are as many ranks as these are.
-- parameters: k, most, gains, skipped
--   k integer in [1, inf) = 10         rank of the last document
--   skipped integer in [0, inf) = 0    ranks above the first one
-- columns:
--   unjudged        whether the document is worth the least or the greatest possible
--   evaluation_id   key of the evaluation that lends its names
--   rank            rank of the document
--   tied_above      0
--   tied_below      0
--   first_rank      its rank
--   last_rank       its rank
--   judged_rank     its rank, as those above it are judged
--   relevant_rank   1 where it is relevant, else 0
--   grade           its grade
--   document_id     0
with numbered as (
    select
        evaluation_id,
        qrels_id,
        $skipped + row_number() over (
            partition by qrels_id
            order by evaluation_id
        ) as rank
    from asked_evaluations()
)
select
    filling_grades.unjudged,
    numbered.evaluation_id,
    numbered.rank,
    0 as tied_above,
    0 as tied_below,
    numbered.rank as first_rank,
    numbered.rank as last_rank,
    numbered.rank as judged_rank,
    case when filling_grades.grade > 0 then 1 else 0 end as relevant_rank,
    filling_grades.grade,
    0 as document_id
from numbered
join filling_grades(most := $most, gains := $gains) as filling_grades using (qrels_id)
where numbered.rank <= $k

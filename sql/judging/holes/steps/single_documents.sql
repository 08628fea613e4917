-- title: Rankings with one document each, at one rank after another, of the grade that is worth most
-- definition: What a measure gives to such a ranking is what a hole at that rank can add to it, where each document
--    adds its own part. Runs and topics lend their names; of a judgment set there are as many ranks as these are.
-- parameters: k, most, gains, skipped
--   k integer in [1, inf) = 10         rank of the last document
--   skipped integer in [0, inf) = 0    ranks above the first one
-- columns:
--   evaluation_id   key of the evaluation that lends its names
--   qrels           judgment set
--   run             run
--   topic           topic
--   rank            rank of the document
--   grade           its grade
with numbered as (
    select
        evaluation_id,
        qrels_id,
        qrels,
        run,
        topic,
        $skipped + row_number() over (
            partition by qrels_id
            order by evaluation_id
        ) as rank
    from evaluated_topics
)
select
    numbered.evaluation_id,
    numbered.qrels,
    numbered.run,
    numbered.topic,
    numbered.rank,
    filling_grades.grade
from numbered
join filling_grades(most := $most, gains := $gains) as filling_grades
    on filling_grades.qrels_id = numbered.qrels_id
where numbered.rank <= $k

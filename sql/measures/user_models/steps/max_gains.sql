-- title: The gain of a document of the greatest grade there is, by which gains are divided to lie between 0 and 1
-- parameters: dcg, min_rel, max_rel
--   dcg varchar in {log2, exp-log2} = log2   gain by grade: log2 takes the grade, exp-log2 takes 2^grade
-- columns:
--   qrels_id   key of the judgment set
--   scale      gain of the greatest grade; null where nothing has a gain
with greatest_grades as (
    select
        qrels_id,
        max(grade) as greatest_grade
    from judged_documents
    group by qrels_id
),
known as (
    select
        qrels_id,
        coalesce($max_rel, greatest_grade) as greatest_grade
    from greatest_grades
)
select
    qrels_id,
    case
        when greatest_grade <= $min_rel then null
        when $dcg = 'log2' then cast(greatest_grade - $min_rel as double)
        else pow(2, greatest_grade)
    end as scale
from known

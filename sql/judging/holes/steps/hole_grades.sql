-- title: The grades that a hole may have: 0, and those of the judgment set up to the greatest
-- parameters: most
-- columns: qrels_id
--   grade   a grade
select
    qrels_id,
    grade
from judged_documents
where
    grade >= 0
    and grade <= coalesce($most, grade)
union
select
    qrels_id,
    0 as grade
from qrels

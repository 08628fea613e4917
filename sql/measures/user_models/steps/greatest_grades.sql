-- title: The greatest grade that there is, by judgment set
-- parameters: max_rel
-- columns: qrels_id
--   greatest_grade   max_rel, or where that is null the greatest grade in the set
select
    qrels_id,
    max(coalesce($max_rel, grade)) as greatest_grade
from judged_documents
group by qrels_id

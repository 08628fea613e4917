-- title: How likely a document of each grade satisfies the reader of ERR, who then stops
-- parameters:
--   max_rel integer? in [1, 1000] = 4   greatest grade there is, greater ones count as it; null is the greatest of the
--                                       judgment set
-- columns: qrels_id
--   grade          a grade from 1 that its judgments have
--   satisfaction   (2^grade - 1) / 2^max_rel
select
    greatest_grades.qrels_id,
    judged.grade,
    (pow(2, least(judged.grade, greatest_grades.greatest_grade)) - 1)
        / pow(2, greatest_grades.greatest_grade) as satisfaction
from greatest_grades(max_rel := $max_rel) as greatest_grades
join (select distinct qrels_id, grade from judged_documents where grade >= 1) as judged using (qrels_id)

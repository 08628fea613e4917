-- title: Grades below 0 in the judgments, each with the grade above all others that stands in for it
-- columns:
--   grade      grade below 0
--   stand_in   how far it is below the greatest grade, added to that
select distinct
    grade,
    (select max(grade) from judged_documents) - grade as stand_in
from judged_documents
where grade < 0

-- title: The grade of a hole that is worth least, or most
-- parameters: most, gains, unjudged
--   unjudged varchar in {least, greatest} = greatest   which of the two
-- columns:
--   qrels_id   key of the judgment set
--   grade      the grade; of several that gain alike the lowest for the least, the highest for the greatest
with extremes as (
    select
        hole_grades.qrels_id,
        arg_min(hole_grades.grade, (grade_gains.gain, hole_grades.grade)) as least,
        arg_max(hole_grades.grade, (grade_gains.gain, hole_grades.grade)) as greatest
    from hole_grades(most := $most) as hole_grades
    join grade_gains(gains := $gains) as grade_gains on grade_gains.grade = hole_grades.grade
    group by hole_grades.qrels_id
)
select
    qrels_id,
    case when $unjudged = 'least' then least else greatest end as grade
from extremes

-- title: The grades of a hole that are worth least and most
-- parameters: most, gains
-- columns: qrels_id
--   unjudged   which of the two: least or greatest
--   grade      the grade; of several that gain alike the lowest for the least, the highest for the greatest
--   gain       what it gains
with extremes as (
    select
        hole_grades.qrels_id,
        arg_min(hole_grades.grade, (grade_gains.gain, hole_grades.grade)) as least,
        arg_max(hole_grades.grade, (grade_gains.gain, hole_grades.grade)) as greatest,
        min(grade_gains.gain) as least_gain,
        max(grade_gains.gain) as greatest_gain
    from hole_grades(most := $most) as hole_grades
    join grade_gains(gains := $gains) as grade_gains using (grade)
    group by hole_grades.qrels_id
)
select
    extremes.qrels_id,
    words.unjudged,
    case when words.unjudged = 'least' then extremes.least else extremes.greatest end as grade,
    case when words.unjudged = 'least' then extremes.least_gain else extremes.greatest_gain end as gain
from extremes
cross join (values ('least'), ('greatest')) as words(unjudged)

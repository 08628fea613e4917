-- title: The gains that documents of a judgment set may have, as steps from each to the next
-- parameters: dcg, gains, most
-- columns: qrels_id
--   gain       a gain above 0 that a grade of the set has
--   height     by how much it is above the next lower one
--   of_holes   whether a hole may have it; else its grade is above the greatest one of holes
--   ordered    whether in this set grade 0 gains 0 and no grade gains less than a lower one
with gains_of_grades as (
    select
        judged.qrels_id,
        judged.grade,
        grade_gains.gain,
        judged.grade <= coalesce($most, judged.grade) as of_holes
    from (
        select qrels_id, grade from judged_documents where grade >= 0
        union
        select qrels_id, 0 as grade from qrels
    ) as judged
    join grade_gains(dcg := $dcg, gains := $gains) as grade_gains on grade_gains.grade = judged.grade
),
compared as (
    select
        qrels_id,
        gain,
        of_holes,
        coalesce(
            gain >= lag(gain) over (partition by qrels_id order by grade),
            gain = 0
        ) as is_ordered
    from gains_of_grades
),
distinct_gains as (
    select
        qrels_id,
        gain,
        bool_or(of_holes) as of_holes
    from compared
    where gain > 0
    group by qrels_id, gain
),
orders as (
    select
        qrels_id,
        bool_and(is_ordered) as ordered
    from compared
    group by qrels_id
)
select
    distinct_gains.qrels_id,
    distinct_gains.gain,
    distinct_gains.gain - coalesce(
        lag(distinct_gains.gain) over (partition by distinct_gains.qrels_id order by distinct_gains.gain),
        0
    ) as height,
    distinct_gains.of_holes,
    orders.ordered
from distinct_gains
join orders on orders.qrels_id = distinct_gains.qrels_id

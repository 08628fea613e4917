-- title: What a document of each grade is worth
-- parameters: dcg, gains, min_rel, max_rel
--   min_rel integer in [0, inf) = 0          grade up to which dcg gives 0, and less by it to those above
--   max_rel integer in [0, inf) = null       grade that dcg takes greater ones for; null is none
-- columns:
--   grade   grade of a judgment
--   gain    gain of a document with that grade; without explicit gains 0 for grades below 1
with grades as (
    select grade
    from judged_documents
    union
    select 0 as grade
),
listed as (
    select
        grade,
        ',' || replace($gains, ' ', '') || ',' as list,
        ',' || cast(grade as varchar) || '=' as entry
    from grades
),
tails as (
    select
        grade,
        case
            when position(entry in list) > 0
            then substring(list, position(entry in list) + length(entry))
        end as tail
    from listed
)
select
    grade,
    case
        when tail is not null then cast(substring(tail, 1, position(',' in tail) - 1) as double)
        when $gains is not null and position('*' in $gains) = 0 then cast(0 as double)
        when least(grade, coalesce($max_rel, grade)) <= $min_rel then cast(0 as double)
        when $dcg = 'log2' then cast(least(grade, coalesce($max_rel, grade)) - $min_rel as double)
        when $dcg = 'exp-log2' then pow(2, least(grade, coalesce($max_rel, grade))) - pow(2, $min_rel)
    end as gain
from tails

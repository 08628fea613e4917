-- title: Documents of each level of a subgroup of staged preferences
-- inputs: staged
-- columns: topic
--   judgment_group   who judged
--   subgroup         documents compared with each other, part of a group
--   level            documents are preferred to those of a lower level
--   documents        in the order of their lines, each at the first of these
--   first_line       line of the first of them
with numbered as (
    select
        *,
        row_number() over (partition by topic, judgment_group, subgroup, document order by line) as nth
    from staged
)
select
    topic,
    judgment_group,
    subgroup,
    level,
    list(document order by line) as documents,
    min(line) as first_line
from numbered
where nth = 1
group by topic, judgment_group, subgroup, level

-- title: Staged preferences that contradict an earlier row of the same judgment group
-- inputs: staged
-- columns: line, reason
--   first_line   line of the earlier row
--   rest         what the reason says behind that line
-- definition: A document stands once in a subgroup. Its level is 0, not relevant, in all subgroups of a group or in
--    none. Different groups may disagree.
with numbered as (
    select
        *,
        min(line) over (partition by topic, judgment_group, subgroup, document) as first_in_subgroup,
        min(line) over (partition by topic, judgment_group, document) as first_in_group,
        first_value(level) over (partition by topic, judgment_group, document order by line) as first_level,
        concat('document ', document, ' of topic ', topic, ' in group ', judgment_group) as place
    from staged
)
select
    line,
    concat(place, ' stands in subgroup ', subgroup, ' already,') as reason,
    first_in_subgroup as first_line,
    '' as rest
from numbered
where line > first_in_subgroup
union all
select
    line,
    concat(place, ' has level ', printf('%g', level), ' here and ', printf('%g', first_level)) as reason,
    first_in_group as first_line,
    '; level 0 is not relevant, above it is relevant' as rest
from numbered
where
    line = first_in_subgroup
    and (level = 0 or first_level = 0)
    and greatest(level, first_level) > 0

-- title: Staged judgments of a document that an earlier row judges for the same topic, or by the same group
-- inputs: staged
-- parameters:
--   in_groups boolean = false   whether each iteration is a group of its own
-- columns: line, reason
--   first_line   line of the first judgment
--   rest         what the reason says behind that line: how judgments of several iterations are loaded
with repeated as (
    select
        topic,
        document
    from staged
    group by topic, document
    having count(*) > 1
),
candidates as (
    select
        staged.line,
        staged.topic,
        staged.iteration,
        staged.document,
        case when $in_groups then staged.iteration end as judgment_group
    from staged
    join repeated using (topic, document)
),
numbered as (
    select
        *,
        first_value(line) over judgments as first_line,
        first_value(iteration) over judgments as first_iteration
    from candidates
    window judgments as (partition by topic, document, judgment_group order by line)
)
select
    line,
    concat(
        'document ', document, ' of topic ', topic, ' is already judged', coalesce(' by group ' || judgment_group, '')
    ) as reason,
    first_line,
    case
        when not $in_groups and iteration <> first_iteration then concat(
            ', with iteration ', first_iteration, '; in the form groups (--form groups, in Python form=''groups'') ',
            'each iteration, a group or subtopic, may judge it once'
        )
        else ''
    end as rest
from numbered
where line <> first_line

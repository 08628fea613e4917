-- title: Staged judgments of a document that an earlier row judges for the same topic, or by the same group
-- inputs: staged
-- parameters:
--   in_groups boolean = false   whether each iteration is a group of its own
-- columns: line, topic
--   iteration         iteration
--   document          document
--   first_line        line of the first judgment
--   first_iteration   its iteration
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
    join repeated
        on repeated.topic = staged.topic
        and repeated.document = staged.document
),
numbered as (
    select
        line,
        topic,
        iteration,
        document,
        first_value(line) over judgments as first_line,
        first_value(iteration) over judgments as first_iteration
    from candidates
    window judgments as (partition by topic, document, judgment_group order by line)
)
select
    line,
    topic,
    iteration,
    document,
    first_line,
    first_iteration
from numbered
where line <> first_line

-- title: Staged nuggets that cannot be loaded
-- inputs: staged
-- columns: line, reason
-- definition: A nugget is vital or okay, and stands once in its topic.
with numbered as (
    select
        line,
        topic,
        nugget,
        row_number() over (partition by topic, nugget order by line) as nth
    from staged
)
select
    line,
    concat('importance of nugget ', nugget, ' of topic ', topic, ' is ', importance, ', expected vital or okay') as reason
from staged
where importance not in ('vital', 'okay')
union all
select
    line,
    concat('nugget ', nugget, ' of topic ', topic, ' stands there already') as reason
from numbered
where nth > 1

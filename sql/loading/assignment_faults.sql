-- title: Staged assignments that cannot be loaded
-- inputs: staged, named_nuggets
-- parameters:
--   qrels_id integer = null   key of the judgment set that has the nuggets
-- columns: file_id, line, reason
-- definition: Each nugget of a topic that a run answers has one assignment, and nothing else has one. An importance
--    that stands beside it is that of the nugget.
with placed as (
    select
        staged.*,
        concat('run ', staged.run, ', topic ', staged.topic, ', nugget ', staged.nugget) as place,
        named_nuggets.topic_id,
        named_nuggets.nugget as known,
        named_nuggets.importance as known_importance
    from staged
    left join named_nuggets
        on named_nuggets.topic = staged.topic
        and named_nuggets.name = staged.nugget
),
numbered as (
    select
        file_id,
        line,
        place,
        row_number() over (partition by run, topic, known order by file_id, line) as nth
    from placed
    where known is not null
),
answered as (
    select
        run,
        topic_id,
        min(topic) as topic,
        min(file_id) as file_id,
        arg_min(line, {'file_id': file_id, 'line': line}) as line
    from placed
    where known is not null
    group by run, topic_id
)
select
    file_id,
    line,
    concat(
        place, ': assignment is ', assignment,
        ', expected support, partial_support or not_support; one that failed is asked for again or left out with its topic'
    ) as reason
from placed
where assignment not in ('support', 'partial_support', 'not_support')
union all
select
    file_id,
    line,
    concat(place, ': the judgments have no such nugget of the topic, or several with this text') as reason
from placed
where known is null
union all
select
    file_id,
    line,
    concat(place, ': is ', importance, ' here and ', known_importance, ' in the judgments') as reason
from placed
where importance <> known_importance
union all
select
    file_id,
    line,
    concat(place, ': has an assignment already') as reason
from numbered
where nth > 1
union all
select
    answered.file_id,
    answered.line,
    concat(
        'run ', answered.run, ', topic ', answered.topic, ', nugget ', nuggets.nugget,
        ': the answer has no assignment of this nugget; not_support says that it lacks it'
    ) as reason
from answered
join nuggets
    on nuggets.qrels_id = $qrels_id
    and nuggets.topic_id = answered.topic_id
where
    not exists (
        select 1
        from placed
        where
            placed.run = answered.run
            and placed.topic_id = nuggets.topic_id
            and placed.known = nuggets.nugget
    )

-- title: The one grade of each document of a new judgment set
-- inputs: new_qrels
-- columns: qrels_id, topic_id, document_id
--   grade   highest grade of any group; of preferences 1 where a level is above 0, else 0
with graded as (
    select
        qrels_id,
        topic_id,
        document_id,
        grade
    from assessments
    union all
    select
        qrels_id,
        topic_id,
        document_id,
        case when level > 0 then 1 else 0 end as grade
    from preferences
)
select
    qrels_id,
    topic_id,
    document_id,
    max(grade) as grade
from graded
where qrels_id in (select qrels_id from new_qrels)
group by qrels_id, topic_id, document_id
order by qrels_id, topic_id, document_id

-- title: Judgments that one of two sets has and the other has not
-- parameters:
--   qrels_id integer = null   key of a judgment set
--   other_id integer = null   key of another
-- columns: topic_id, document_id
with rows_of_sets as (
    select
        qrels_id,
        topic_id,
        document_id,
        iteration as judgment_group,
        '' as subgroup,
        cast(grade as double) as level
    from assessments
    where qrels_id in ($qrels_id, $other_id)
    union all
    select
        qrels_id,
        topic_id,
        document_id,
        judgment_group,
        subgroup,
        level
    from preferences
    where qrels_id in ($qrels_id, $other_id)
    union all
    select
        qrels_id,
        topic_id,
        document_id,
        stratum,
        'sample' as subgroup,
        probability
    from judgment_samples
    where qrels_id in ($qrels_id, $other_id)
)
select
    topic_id,
    document_id
from rows_of_sets
group by topic_id, document_id, judgment_group, subgroup, level
having count(distinct qrels_id) = 1

-- title: Judgments that one of two sets has and the other has not
-- parameters:
--   qrels_id integer = null   key of a judgment set
--   other_id integer = null   key of another
-- columns: topic_id
--   document_id   key of the document; null of nuggets
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
    union all
    select
        qrels_id,
        topic_id,
        null as document_id,
        nugget as judgment_group,
        concat(importance, ' ', text) as subgroup,
        0 as level
    from nuggets
    where qrels_id in ($qrels_id, $other_id)
    union all
    select
        judged_spans.qrels_id,
        judged_spans.topic_id,
        judged_spans.document_id,
        concat(judged_spans.span_start, '-', judged_spans.span_end, ' ', qrels.meta['unit']) as judgment_group,
        'span' as subgroup,
        judged_spans.grade
    from judged_spans
    join qrels using (qrels_id)
    where judged_spans.qrels_id in ($qrels_id, $other_id)
)
select
    topic_id,
    document_id
from rows_of_sets
group by topic_id, document_id, judgment_group, subgroup, level
having count(distinct qrels_id) = 1

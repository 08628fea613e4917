-- title: Rows of topics that are not there
-- quick: yes
-- columns:
--   finding    what is wrong, and where
--   num_rows   rows of the table that are concerned
-- definition: Each topic_id in another table is in topics.
with used as (
    select
        'retrieved' as relation,
        run_id,
        cast(null as integer) as qrels_id,
        topic_id,
        count(*) as num_rows
    from retrieved
    group by run_id, topic_id
    union all
    select
        'run_topics' as relation,
        run_id,
        cast(null as integer) as qrels_id,
        topic_id,
        count(*) as num_rows
    from run_topics
    group by run_id, topic_id
    union all
    select
        'evaluations' as relation,
        run_id,
        qrels_id,
        topic_id,
        count(*) as num_rows
    from evaluations
    group by run_id, qrels_id, topic_id
    union all
    select
        'assessments' as relation,
        cast(null as integer) as run_id,
        qrels_id,
        topic_id,
        count(*) as num_rows
    from assessments
    group by qrels_id, topic_id
    union all
    select
        'preferences' as relation,
        cast(null as integer) as run_id,
        qrels_id,
        topic_id,
        count(*) as num_rows
    from preferences
    group by qrels_id, topic_id
    union all
    select
        'judged_documents' as relation,
        cast(null as integer) as run_id,
        qrels_id,
        topic_id,
        count(*) as num_rows
    from judged_documents
    group by qrels_id, topic_id
    union all
    select
        'topic_weights' as relation,
        cast(null as integer) as run_id,
        qrels_id,
        topic_id,
        count(*) as num_rows
    from topic_weights
    group by qrels_id, topic_id
    union all
    select
        'topic_meta' as relation,
        cast(null as integer) as run_id,
        qrels_id,
        topic_id,
        count(*) as num_rows
    from topic_meta
    group by qrels_id, topic_id
    union all
    select
        'stored_scores' as relation,
        run_id,
        qrels_id,
        topic_id,
        count(*) as num_rows
    from stored_scores
    group by run_id, qrels_id, topic_id
)
select
    concat(
        case when used.run_id is null then '' else concat('run ', coalesce(runs.run, concat('#', used.run_id)), ', ') end,
        case
            when used.qrels_id is null then ''
            else concat('judgments ', coalesce(qrels.qrels, concat('#', used.qrels_id)), ', ')
        end,
        'topic #', used.topic_id, ': has rows in ', used.relation, ' and is not in topics'
    ) as finding,
    used.num_rows
from used
left join topics on topics.topic_id = used.topic_id
left join runs on runs.run_id = used.run_id
left join qrels on qrels.qrels_id = used.qrels_id
where topics.topic_id is null

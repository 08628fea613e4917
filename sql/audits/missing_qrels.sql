-- title: Rows of judgment sets that are not there
-- quick: yes
-- columns:
--   finding    what is wrong, and where
--   num_rows   rows of the table that are concerned
-- definition: Each qrels_id in another table is in qrels.
with used as (
    select
        'assessments' as relation,
        qrels_id,
        count(*) as num_rows
    from assessments
    group by qrels_id
    union all
    select
        'preferences' as relation,
        qrels_id,
        count(*) as num_rows
    from preferences
    group by qrels_id
    union all
    select
        'judged_documents' as relation,
        qrels_id,
        count(*) as num_rows
    from judged_documents
    group by qrels_id
    union all
    select
        'topic_weights' as relation,
        qrels_id,
        count(*) as num_rows
    from topic_weights
    group by qrels_id
    union all
    select
        'topic_meta' as relation,
        qrels_id,
        count(*) as num_rows
    from topic_meta
    group by qrels_id
    union all
    select
        'evaluations' as relation,
        qrels_id,
        count(*) as num_rows
    from evaluations
    group by qrels_id
    union all
    select
        'stored_scores' as relation,
        qrels_id,
        count(*) as num_rows
    from stored_scores
    group by qrels_id
    union all
    select
        'files' as relation,
        id as qrels_id,
        count(*) as num_rows
    from files
    where
        kind in ('qrels', 'weights')
        or substr(kind, 1, 7) = 'topics.'
    group by id
)
select
    concat(used.relation, ' has rows of judgments #', used.qrels_id, ', which are not in qrels') as finding,
    used.num_rows
from used
left join qrels on qrels.qrels_id = used.qrels_id
where qrels.qrels_id is null

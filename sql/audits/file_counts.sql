-- title: Runs and judgment sets that hold other than the rows of their files
-- quick: yes
-- columns: finding
--   num_rows   rows kept
-- definition: The rows in files are those that are kept and the repeated ones that were left out. Runs of which
--    a depth or judgments left out other rows, or of which only scores of topics are stored, are not checked.
with file_rows as (
    select
        kind,
        id,
        run_id,
        qrels_id,
        sum(num_rows) as num_rows
    from file_owners
    group by kind, id, run_id, qrels_id
),
kept_rows as (
    select 'run' as kind, run_id as id, sum(num_ret) as num_rows
    from run_topics
    where run_id not in (select run_id from call_ranks union all select run_id from retrieved_spans)
    group by run_id
    union all
    select 'run' as kind, run_id as id, count(*) as num_rows
    from call_ranks
    group by run_id
    union all
    -- Results that are spans are kept, and their documents are made of them.
    select 'run' as kind, run_id as id, count(*) as num_rows
    from retrieved_spans
    group by run_id
    union all
    select 'run' as kind, run_id as id, count(*) as num_rows
    from collection_scores
    group by run_id
    union all
    select 'qrels' as kind, qrels_id as id, count(*) as num_rows
    from assessments
    where qrels_id not in (select qrels_id from judged_spans)
    group by qrels_id
    union all
    select 'qrels' as kind, qrels_id as id, count(*) as num_rows
    from judged_spans
    group by qrels_id
    union all
    select 'qrels' as kind, qrels_id as id, count(*) as num_rows
    from preferences
    group by qrels_id
    union all
    select 'qrels' as kind, qrels_id as id, count(*) as num_rows
    from nuggets
    group by qrels_id
    union all
    select 'weights' as kind, qrels_id as id, count(*) as num_rows
    from topic_weights
    group by qrels_id
    union all
    select concat('topics.', key) as kind, qrels_id as id, count(*) as num_rows
    from topic_meta
    group by qrels_id, key
    union all
    select concat('assignments.', qrels_id) as kind, run_id as id, count(*) as num_rows
    from nugget_assignments
    group by run_id, qrels_id
    union all
    select concat('citations.', qrels_id) as kind, run_id as id, count(*) as num_rows
    from answer_citations
    group by run_id, qrels_id
),
kept as (
    select
        kind,
        id,
        sum(num_rows) as num_rows
    from kept_rows
    group by kind, id
),
owned as (
    select
        'run' as kind,
        run_id as id,
        concat('run ', run) as owner,
        duplicates
    from runs
    where
        depth is null
        and judged_by is null
        and run_id not in (select run_id from stored_scores)
    union all
    select 'qrels' as kind, qrels_id as id, concat('judgments ', qrels) as owner, duplicates
    from qrels
    union all
    select 'weights' as kind, qrels_id as id, concat('weights of judgments ', qrels) as owner, 0 as duplicates
    from qrels
    union all
    select
        file_rows.kind,
        file_rows.id,
        concat('topics of judgments ', qrels.qrels, ', ', substr(file_rows.kind, 8)) as owner,
        0 as duplicates
    from file_rows
    join qrels on qrels.qrels_id = file_rows.qrels_id
    where substr(file_rows.kind, 1, 7) = 'topics.'
    union all
    select file_rows.kind, file_rows.id, concat('answers of run ', runs.run) as owner, 0 as duplicates
    from file_rows
    join runs on runs.run_id = file_rows.run_id
    where file_rows.qrels_id is not null
)
select
    concat(
        owned.owner, ': the files have ', file_rows.num_rows, ' rows, kept are ', coalesce(kept.num_rows, 0),
        ', left out as repeated ', owned.duplicates
    ) as finding,
    cast(coalesce(kept.num_rows, 0) as bigint) as num_rows
from owned
join file_rows using (kind, id)
left join kept using (kind, id)
where file_rows.num_rows <> coalesce(kept.num_rows, 0) + owned.duplicates

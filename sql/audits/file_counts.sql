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
        sum(num_rows) as num_rows
    from files
    group by kind, id
),
run_rows as (
    select
        run_id,
        sum(num_ret) as num_rows
    from run_topics
    where
        run_id not in (select run_id from call_ranks)
        and run_id not in (select run_id from retrieved_spans)
    group by run_id
    union all
    select
        run_id,
        count(*) as num_rows
    from call_ranks
    group by run_id
    union all
    -- Results that are spans are kept, and their documents are made of them.
    select
        run_id,
        count(*) as num_rows
    from retrieved_spans
    group by run_id
    union all
    select
        run_id,
        count(*) as num_rows
    from collection_scores
    group by run_id
),
judgment_rows as (
    select qrels_id
    from assessments
    where qrels_id not in (select qrels_id from judged_spans)
    union all
    select qrels_id
    from judged_spans
    union all
    select qrels_id
    from preferences
    union all
    select qrels_id
    from nuggets
),
answer_rows as (
    select
        run_id,
        concat('assignments.', qrels_id) as kind,
        count(*) as num_rows
    from nugget_assignments
    group by run_id, qrels_id
    union all
    select
        run_id,
        concat('citations.', qrels_id) as kind,
        count(*) as num_rows
    from answer_citations
    group by run_id, qrels_id
),
qrels_rows as (
    select
        qrels_id,
        count(*) as num_rows
    from judgment_rows
    group by qrels_id
),
weight_rows as (
    select
        qrels_id,
        count(*) as num_rows
    from topic_weights
    group by qrels_id
),
meta_rows as (
    select
        qrels_id,
        key,
        count(*) as num_rows
    from topic_meta
    group by qrels_id, key
),
kept as (
    select
        'run' as kind,
        runs.run_id as id,
        concat('run ', runs.run) as owner,
        coalesce(run_rows.num_rows, 0) as num_rows,
        runs.duplicates
    from runs
    left join run_rows on run_rows.run_id = runs.run_id
    where
        runs.depth is null
        and runs.judged_by is null
        and runs.run_id not in (select run_id from stored_scores)
    union all
    select
        'qrels' as kind,
        qrels.qrels_id as id,
        concat('judgments ', qrels.qrels) as owner,
        coalesce(qrels_rows.num_rows, 0) as num_rows,
        qrels.duplicates
    from qrels
    left join qrels_rows on qrels_rows.qrels_id = qrels.qrels_id
    union all
    select
        'weights' as kind,
        qrels.qrels_id as id,
        concat('weights of judgments ', qrels.qrels) as owner,
        coalesce(weight_rows.num_rows, 0) as num_rows,
        0 as duplicates
    from qrels
    left join weight_rows on weight_rows.qrels_id = qrels.qrels_id
    union all
    select
        file_rows.kind,
        file_rows.id,
        concat('topics of judgments ', qrels.qrels, ', ', substr(file_rows.kind, 8)) as owner,
        coalesce(meta_rows.num_rows, 0) as num_rows,
        0 as duplicates
    from file_rows
    join qrels on qrels.qrels_id = file_rows.id
    left join meta_rows
        on meta_rows.qrels_id = file_rows.id
        and concat('topics.', meta_rows.key) = file_rows.kind
    where substr(file_rows.kind, 1, 7) = 'topics.'
    union all
    select
        file_rows.kind,
        file_rows.id,
        concat('answers of run ', runs.run) as owner,
        coalesce(answer_rows.num_rows, 0) as num_rows,
        0 as duplicates
    from file_rows
    join runs on runs.run_id = file_rows.id
    left join answer_rows
        on answer_rows.run_id = file_rows.id
        and answer_rows.kind = file_rows.kind
    where substr(file_rows.kind, 1, 12) = 'assignments.' or substr(file_rows.kind, 1, 10) = 'citations.'
)
select
    concat(
        kept.owner, ': the files have ', file_rows.num_rows, ' rows, kept are ', kept.num_rows,
        ', left out as repeated ', kept.duplicates
    ) as finding,
    cast(kept.num_rows as bigint) as num_rows
from kept
join file_rows
    on file_rows.kind = kept.kind
    and file_rows.id = kept.id
where file_rows.num_rows <> kept.num_rows + kept.duplicates

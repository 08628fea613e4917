-- title: What the warehouse holds, runs with a row for each judgment set that evaluates them; inventory has one row a run
-- columns:
--   kind             qrels or run
--   name             name of the judgment set or run
--   qrels            judgment set the run is evaluated with, a row for each; null for a run not evaluated yet
--   num_topics       topics of the judgment set, or that the run has documents, stored scores or answers for; null
--                    for figures over a whole collection
--   num_rows         judgments, or documents retrieved; null of a run without rankings
--   missing_topics   topics of the judgment set that the run leaves out
--   extra_topics     topics of the run that have no judgments
--   num_weights      topics of the judgment set that were given a weight
--   num_texts        topics of the judgment set whose question was loaded
--   topic_groups     what its topics are grouped by, separated by commas; null where they are not
--   tag              run tag inside the file
--   tie_rule         how the run's documents were ordered
--   loaded_at        when it was loaded, in UTC
--   file             where it came from, several files separated by blanks; the table files has checksums
with sources as (
    select
        case when run_id is null then kind else 'run' end as owner,
        id,
        string_agg(file, ' ' order by file) as file
    from file_owners
    where kind <> 'costs'
    group by owner, id
),
run_sizes as (
    select
        run_id,
        count(*) as num_topics,
        cast(sum(num_ret) as bigint) as num_rows
    from run_topics
    group by run_id
    union all
    select
        run_id,
        count(distinct topic_id) as num_topics,
        cast(null as bigint) as num_rows
    from stored_scores
    group by run_id
    union all
    select distinct
        run_id,
        cast(null as bigint) as num_topics,
        cast(null as bigint) as num_rows
    from collection_scores
    union all
    select
        run_id,
        count(distinct topic_id) as num_topics,
        cast(null as bigint) as num_rows
    from judged_answers
    where run_id not in (select run_id from run_topics)
    group by run_id
),
qrels_rows as (
    select
        qrels_id,
        topic_id
    from assessments
    union all
    select
        qrels_id,
        topic_id
    from preferences
    union all
    select
        qrels_id,
        topic_id
    from nuggets
),
qrels_sizes as (
    select
        qrels_id,
        count(distinct topic_id) as num_topics,
        count(*) as num_rows
    from qrels_rows
    group by qrels_id
),
weighted as (
    select
        qrels_id,
        count(*) as num_topics
    from topic_weights
    group by qrels_id
),
described as (
    select
        qrels_id,
        count(distinct topic_id) filter (key in ('text', 'description', 'narrative')) as num_texts,
        string_agg(distinct key, ',' order by key) filter (key not in ('text', 'description', 'narrative'))
            as topic_groups
    from topic_meta
    group by qrels_id
)
select
    'qrels' as kind,
    qrels.qrels as name,
    qrels.qrels,
    qrels_sizes.num_topics,
    qrels_sizes.num_rows,
    cast(null as bigint) as missing_topics,
    cast(null as bigint) as extra_topics,
    coalesce(weighted.num_topics, 0) as num_weights,
    coalesce(described.num_texts, 0) as num_texts,
    described.topic_groups,
    cast(null as varchar) as tag,
    cast(null as varchar) as tie_rule,
    qrels.loaded_at,
    sources.file
from qrels
join qrels_sizes using (qrels_id)
join sources on sources.owner = 'qrels' and sources.id = qrels.qrels_id
left join weighted using (qrels_id)
left join described using (qrels_id)
union all
select
    'run' as kind,
    runs.run as name,
    coverage.qrels,
    run_sizes.num_topics,
    run_sizes.num_rows,
    coverage.missing_topics,
    coverage.extra_topics,
    cast(null as bigint) as num_weights,
    cast(null as bigint) as num_texts,
    cast(null as varchar) as topic_groups,
    runs.tag,
    runs.tie_rule,
    runs.loaded_at,
    sources.file
from runs
join run_sizes using (run_id)
join sources on sources.owner = 'run' and sources.id = runs.run_id
left join coverage using (run)

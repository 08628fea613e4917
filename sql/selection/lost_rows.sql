-- title: Rows whose run, judgment set or evaluation is gone
-- columns:
--   relation   base table
--   owner      what they lack: their run, judgments or evaluation
--   num_rows   rows
with lost as (
    select 'retrieved' as relation, 'their run' as owner, count(*) as num_rows
    from retrieved
    where run_id not in (select run_id from runs)
    union all
    select 'run_topics' as relation, 'their run' as owner, count(*) as num_rows
    from run_topics
    where run_id not in (select run_id from runs)
    union all
    select 'evaluations' as relation, 'their run' as owner, count(*) as num_rows
    from evaluations
    where run_id not in (select run_id from runs)
    union all
    select 'evaluations' as relation, 'their judgments' as owner, count(*) as num_rows
    from evaluations
    where qrels_id not in (select qrels_id from qrels)
    union all
    select 'judged_ranks' as relation, 'their evaluation' as owner, count(*) as num_rows
    from judged_ranks
    where evaluation_id not in (select evaluation_id from evaluations)
    union all
    select 'assessments' as relation, 'their judgments' as owner, count(*) as num_rows
    from assessments
    where qrels_id not in (select qrels_id from qrels)
    union all
    select 'preferences' as relation, 'their judgments' as owner, count(*) as num_rows
    from preferences
    where qrels_id not in (select qrels_id from qrels)
    union all
    select 'judged_documents' as relation, 'their judgments' as owner, count(*) as num_rows
    from judged_documents
    where qrels_id not in (select qrels_id from qrels)
    union all
    select 'topic_weights' as relation, 'their judgments' as owner, count(*) as num_rows
    from topic_weights
    where qrels_id not in (select qrels_id from qrels)
    union all
    select 'topic_meta' as relation, 'their judgments' as owner, count(*) as num_rows
    from topic_meta
    where qrels_id not in (select qrels_id from qrels)
    union all
    select 'stored_scores' as relation, 'their run' as owner, count(*) as num_rows
    from stored_scores
    where run_id not in (select run_id from runs)
    union all
    select 'stored_scores' as relation, 'their judgments' as owner, count(*) as num_rows
    from stored_scores
    where qrels_id not in (select qrels_id from qrels)
)
select
    relation,
    owner,
    num_rows
from lost
where num_rows > 0

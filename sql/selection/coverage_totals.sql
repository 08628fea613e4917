-- title: How the runs of each judgment set match its topics
-- inputs: covered
-- columns: qrels
--   form            what it holds: grades, groups, preferences, spans, strata, probabilities or nuggets
--   num_topics      topics averaged
--   num_known       runs of which missing and extra topics are known
--   num_missing     those that leave topics of the judgments out
--   num_left_out    those with topics that have no judgments
--   num_stored      runs of which only scores are stored
--   num_irrelevant  topics of the judgments without a relevant document, or without a vital nugget
with irrelevant as (
    select
        qrels_id,
        topic_id
    from judged_documents
    group by qrels_id, topic_id
    having max(grade) < 1
    union all
    select
        qrels_id,
        topic_id
    from nuggets
    group by qrels_id, topic_id
    having count(case when importance = 'vital' then 1 end) = 0
)
select
    covered.qrels,
    qrels.form,
    arg_max(covered.num_topics, covered.run) as num_topics,
    count(covered.missing_topics) as num_known,
    count(case when covered.missing_topics > 0 then 1 end) as num_missing,
    count(case when covered.extra_topics > 0 then 1 end) as num_left_out,
    count(case when covered.missing_topics is null then 1 end) as num_stored,
    (select count(*) from irrelevant where irrelevant.qrels_id = qrels.qrels_id) as num_irrelevant
from covered
join qrels on qrels.qrels = covered.qrels
group by covered.qrels, qrels.form, qrels.qrels_id
order by covered.qrels

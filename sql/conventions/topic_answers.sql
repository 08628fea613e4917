-- title: Values of topics as each convention averages them: which topics count, and those without relevant documents
-- inputs: figure_answers, figure_measures
-- columns: qrels, run, topic, measure
--   ties    the convention, in the place of an order of ties, as mean_values keeps apart what differs in this
--   value   value of the topic under the convention
-- definition: What makes no difference to any run is left out: topics answered only where every run answers all, topics
--    of the run where all of these are judged, and the others where each topic has a relevant document.
with unjudged_topics as (
    select
        evaluated.qrels,
        evaluated.run,
        topics.topic
    from (select distinct qrels, run, qrels_id, run_id from evaluated_topics) as evaluated
    join run_topics using (run_id)
    join topics using (topic_id)
    anti join evaluated_topics
        on evaluated_topics.qrels_id = evaluated.qrels_id
        and evaluated_topics.topic_id = run_topics.topic_id
),
greatest_grades as (
    select
        qrels_id,
        topic_id,
        max(grade) as grade
    from judged_documents
    group by qrels_id, topic_id
),
answers as (
    select
        figure_answers.qrels,
        figure_answers.run,
        figure_answers.topic,
        figure_answers.measure,
        figure_answers.value,
        evaluated_topics.missing,
        greatest_grades.grade >= figure_measures.rel as has_relevant
    from figure_answers
    join figure_measures on figure_measures.measure = split_part(figure_answers.measure, '@' || chr(9), 1)
    join evaluated_topics using (qrels, run, topic)
    join greatest_grades using (qrels_id, topic_id)
    union all
    select
        unjudged_topics.qrels,
        unjudged_topics.run,
        unjudged_topics.topic,
        measures.measure,
        0 as value,
        null as missing,
        null as has_relevant
    from unjudged_topics
    join (select distinct qrels, run, measure from figure_answers) as measures using (qrels, run)
),
kept_topics as (
    select 'judged' as topics
    union all
    select 'answered' as topics
    where exists (select 1 from evaluated_topics where missing)
    union all
    select 'of the run' as topics
    where exists (select 1 from unjudged_topics)
),
without_relevant as (
    select 'zero' as counted
    union all
    select unnest(['left out', 'one']) as counted
    where exists (select 1 from answers where not has_relevant)
)
select
    answers.qrels,
    answers.run,
    answers.topic,
    answers.measure,
    kept_topics.topics || ', ' || without_relevant.counted as ties,
    case when not answers.has_relevant and without_relevant.counted = 'one' then 1 else answers.value end as value
from answers
cross join kept_topics
cross join without_relevant
where
    case kept_topics.topics
        when 'judged' then answers.missing is not null
        when 'answered' then not answers.missing
        else answers.missing is distinct from true
    end
    and (without_relevant.counted <> 'left out' or answers.has_relevant is distinct from false)

-- title: How many judged documents of each topic have a gain or more
-- parameters: dcg, gains, most
-- columns: qrels_id, topic_id
--   gain            a gain above 0
--   height          by how much it is above the next lower one
--   of_holes        whether a hole may have it
--   ordered         whether no grade of the set gains less than a lower one
--   num_documents   documents with this gain or more
with judged_gains as (
    select
        judged_documents.qrels_id,
        judged_documents.topic_id,
        grade_gains.gain
    from judged_documents
    join grade_gains(dcg := $dcg, gains := $gains) as grade_gains on grade_gains.grade = judged_documents.grade
),
judged_topics as (
    select distinct
        qrels_id,
        topic_id
    from judged_gains
)
select
    judged_topics.qrels_id,
    judged_topics.topic_id,
    gain_steps.gain,
    gain_steps.height,
    gain_steps.of_holes,
    gain_steps.ordered,
    count(judged_gains.gain) as num_documents
from judged_topics
join gain_steps(dcg := $dcg, gains := $gains, most := $most) as gain_steps
    on gain_steps.qrels_id = judged_topics.qrels_id
left join judged_gains
    on judged_gains.qrels_id = judged_topics.qrels_id
    and judged_gains.topic_id = judged_topics.topic_id
    and judged_gains.gain >= gain_steps.gain
group by
    judged_topics.qrels_id,
    judged_topics.topic_id,
    gain_steps.gain,
    gain_steps.height,
    gain_steps.of_holes,
    gain_steps.ordered

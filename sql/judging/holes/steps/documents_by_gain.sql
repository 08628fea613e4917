-- title: How many judged documents of each topic have a gain or more
-- parameters: dcg, gains, most
-- columns: qrels_id, topic_id
--   gain            a gain above 0
--   height          by how much it is above the next lower one
--   of_holes        whether a hole may have it
--   ordered         whether no grade of the set gains less than a lower one
--   num_documents   documents with this gain or more
with gains_of_grades as (
    select
        judged.qrels_id,
        judged.grade,
        grade_gains.gain,
        judged.grade <= coalesce($most, judged.grade) as of_holes
    from (
        select qrels_id, grade from judged_documents where grade >= 0
        union
        select qrels_id, 0 as grade from qrels
    ) as judged
    join grade_gains(dcg := $dcg, gains := $gains) as grade_gains using (grade)
),
compared as (
    select
        qrels_id,
        gain,
        of_holes,
        coalesce(
            gain >= lag(gain) over (partition by qrels_id order by grade),
            gain = 0
        ) as is_ordered
    from gains_of_grades
),
distinct_gains as (
    select
        qrels_id,
        gain,
        bool_or(of_holes) as of_holes
    from compared
    where gain > 0
    group by qrels_id, gain
),
orders as (
    select
        qrels_id,
        bool_and(is_ordered) as ordered
    from compared
    group by qrels_id
),
gain_steps as (
    select
        distinct_gains.qrels_id,
        distinct_gains.gain,
        distinct_gains.gain - coalesce(
            lag(distinct_gains.gain) over (partition by distinct_gains.qrels_id order by distinct_gains.gain),
            0
        ) as height,
        distinct_gains.of_holes,
        orders.ordered
    from distinct_gains
    join orders using (qrels_id)
),
judged_gains as (
    select
        judged_documents.qrels_id,
        judged_documents.topic_id,
        grade_gains.gain
    from judged_documents
    join grade_gains(dcg := $dcg, gains := $gains) as grade_gains using (grade)
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
join gain_steps using (qrels_id)
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

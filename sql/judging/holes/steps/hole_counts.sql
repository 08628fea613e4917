-- title: How many documents of each ranking are relevant, and how many nobody judged
-- parameters: k, rel, most, unseen
-- columns: qrels, run, topic, evaluation_id, num_holes, num_unseen
--   num_ret       documents retrieved, all of them
--   num_rel       relevant documents of the topic
--   num_rel_ret   relevant documents down to the cutoff
--   new_rel       holes that may be relevant: all of them, or none where the greatest grade is too low
--   new_unseen    the same of num_unseen
-- definition: Documents that nobody judged are told apart by whether the run has them down to the cutoff (holes), or not
--    (unseen). The unseen are those that other runs of the judgment set have down to the same cutoff, or a given number.
with found as (
    select
        evaluation_id,
        count(*) as num_judged_ret,
        count(case when grade >= $rel then 1 end) as num_rel_ret
    from asked_ranks()
    where
        grade >= 0
        and rank <= coalesce($k, 2147483647)
    group by evaluation_id
),
highest_grades as (
    select
        qrels_id,
        max(grade) as grade
    from hole_grades(most := $most)
    group by qrels_id
),
-- These are not read where their number is given.
pooled as (
    select
        qrels_id,
        topic_id,
        num_holes
    from pooled_holes(k := $k)
    where $unseen is null
),
counted as (
    select
        evaluated_topics.qrels,
        evaluated_topics.run,
        evaluated_topics.topic,
        evaluated_topics.evaluation_id,
        evaluated_topics.num_ret,
        topic_counts.num_rel,
        coalesce(found.num_rel_ret, 0) as num_rel_ret,
        least(coalesce($k, evaluated_topics.num_ret), evaluated_topics.num_ret)
            - coalesce(found.num_judged_ret, 0) as num_holes,
        coalesce(pooled.num_holes, 0) as num_pooled,
        highest_grades.grade >= $rel as can_be_relevant
    from evaluated_topics
    join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
    join highest_grades using (qrels_id)
    left join found using (evaluation_id)
    left join pooled using (qrels_id, topic_id)
)
select
    qrels,
    run,
    topic,
    evaluation_id,
    num_ret,
    num_rel,
    num_rel_ret,
    num_holes,
    coalesce($unseen, num_pooled - num_holes) as num_unseen,
    case when can_be_relevant then num_holes else 0 end as new_rel,
    case when can_be_relevant then coalesce($unseen, num_pooled - num_holes) else 0 end as new_unseen
from counted

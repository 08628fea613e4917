-- title: How likely each grade of a topic is the least that satisfies a reader
-- parameters:
--   gains varchar = null   how likely the reader's least grade is a grade or below it; without them all from 1 to the
--                          greatest are as likely
-- columns: qrels_id, topic_id
--   grade     a grade above 0 that the topic's judgments have
--   weight    how likely the least grade is this one or lies between it and the one below, up to a factor that is the
--             same for all grades of the topic
--   num_rel   documents judged with this grade or a higher one
with grade_counts as (
    select
        judged_documents.qrels_id,
        judged_documents.topic_id,
        judged_documents.grade,
        grade_gains.gain,
        count(*) as num_docs
    from judged_documents
    join grade_gains(gains := $gains) as grade_gains using (grade)
    where judged_documents.grade > 0
    group by judged_documents.qrels_id, judged_documents.topic_id, judged_documents.grade, grade_gains.gain
)
select
    qrels_id,
    topic_id,
    grade,
    gain - coalesce(lag(gain) over upwards, 0) as weight,
    sum(num_docs) over (
        partition by qrels_id, topic_id
        order by grade desc
        rows between unbounded preceding and current row
    ) as num_rel
from grade_counts
window upwards as (
    partition by qrels_id, topic_id
    order by grade
)

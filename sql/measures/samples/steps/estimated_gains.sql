-- title: The ideal ranking of each topic, estimated from a sample of judgments: a row for each gain
-- parameters: dcg, gains, rounded
--   rounded boolean = false   whether the number of documents with a gain is rounded to a whole one
-- columns: qrels_id, topic_id
--   gain        a gain above 0 that judged documents have
--   next_gain   the next lower one; 0 below the least
--   last_rank   rank in the ideal ranking of the last document with this gain: how many are estimated to have it or a
--               higher one
with estimated as (
    select
        sampled_documents.qrels_id,
        sampled_documents.topic_id,
        grade_gains.gain,
        fsum(1 / sampled_documents.probability) as num_docs
    from sampled_documents
    join grade_gains(dcg := $dcg, gains := $gains) as grade_gains using (grade)
    where
        grade_gains.gain > 0
        and sampled_documents.grade >= 0
    group by sampled_documents.qrels_id, sampled_documents.topic_id, grade_gains.gain
)
select
    qrels_id,
    topic_id,
    gain,
    coalesce(lead(gain) over downwards, 0) as next_gain,
    -- A half is rounded up, of which the sum of fractions may fall short.
    sum(case when $rounded then floor(num_docs + 0.5 + 1e-9) else num_docs end) over (
        partition by qrels_id, topic_id
        order by gain desc
        rows between unbounded preceding and current row
    ) as last_rank
from estimated
window downwards as (
    partition by qrels_id, topic_id
    order by gain desc
)

-- measure: RBP_scaled
-- title: Rank-biased precision with the gains of each topic scaled to lie between 0 and 1
-- trec_eval: rbp.p,gains
-- parameters: p, gains, ties
--   p double in [0, 1] = 0.9   how likely the reader goes on to the next document
-- definition: (1 - p) times the sum of gain * p^(rank - 1). Where the gains of a topic's grades (0 to its greatest, and
--    those listed) go beyond 0 to 1 they are scaled: (gain - least) / (greatest - least).
-- reference: Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness,
--    doi:10.1145/1416950.1416952
-- differs: Equal to trec_eval 10's rbp but for its least and greatest gain, which it reads uninitialised; 9.0.8 has
--    none. A topic's scale hangs on its own greatest grade: RBP with gains is the one to compare topics by. Where a
--    gain is below 0, trec_eval also counts what judged documents of gain 0 are scaled to; here they add nothing.
-- range: 0 1
-- mean: arithmetic
-- holes: none, its scale hangs on the topic's own greatest grade, which a hole can change
-- scores: no
-- example: graded RBP_scaled(p=0.5) = 0.2917
with recursive listed as (
    select
        cast(null as varchar) as entry,
        cast(replace(cast($gains as varchar), ' ', '') || ',' as varchar) as tail
    union all
    select
        substring(tail, 1, position(',' in tail) - 1) as entry,
        substring(tail, position(',' in tail) + 1) as tail
    from listed
    where length(tail) > 0
),
greatest_in_topic as (
    select
        qrels_id,
        topic_id,
        max(grade) as grade
    from judged_documents
    group by qrels_id, topic_id
),
gains_in_topic as (
    -- A gain that is listed counts though no document may have its grade.
    select
        greatest_in_topic.qrels_id,
        greatest_in_topic.topic_id,
        grade_gains.gain
    from greatest_in_topic
    join grade_gains(gains := $gains) as grade_gains
        on grade_gains.grade >= 0
        and grade_gains.grade <= greatest_in_topic.grade
    union all
    select
        greatest_in_topic.qrels_id,
        greatest_in_topic.topic_id,
        cast(substring(listed.entry, position('=' in listed.entry) + 1) as double) as gain
    from greatest_in_topic
    cross join listed
    where position('=' in listed.entry) > 0
),
scales as (
    select
        qrels_id,
        topic_id,
        min(gain) as least_gain,
        max(gain) as greatest_gain
    from gains_in_topic
    group by qrels_id, topic_id
),
scaled as (
    select
        evaluations.evaluation_id as evaluation_id,
        gains_by_rank.rank as rank,
        case
            when scales.least_gain >= 0 and scales.greatest_gain <= 1 then gains_by_rank.gain
            else (gains_by_rank.gain - gains_by_rank.share * scales.least_gain)
                / nullif(scales.greatest_gain - scales.least_gain, 0)
        end as gain
    from asked_evaluations() as evaluations
    join scales using (qrels_id, topic_id)
    join gains_by_rank(gains := $gains, ties := $ties) as gains_by_rank using (evaluation_id)
),
discounted as (
    select
        scaled.evaluation_id,
        fsum(scaled.gain * persistence.reached) as total
    from scaled
    join persistence(p := $p) as persistence using (rank)
    group by scaled.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    (1 - $p) * coalesce(discounted.total, 0) as value
from evaluated_topics
left join discounted using (evaluation_id)

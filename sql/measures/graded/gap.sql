-- measure: GAP
-- title: Graded average precision
-- parameters:
--   gains varchar = null            how likely the reader's least grade is a grade or below it, as
--                                   '1=0.4,2=1'; without them all from 1 to the greatest are as likely
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                   the worst, the best or what is expected over all orders; worst and best are not
--                                   known (null) where a grade of the topic has less gain than a lower one
-- definition: With the chance w of each least grade: sum over the least grades of w times the sum of the
--    precisions at the documents that reach it, divided by the sum of w times the number of such documents there
--    are; 0 if there are none.
-- reference: Robertson, Kanoulas and Yilmaz 2010, Extending average precision to graded relevance judgments,
--    doi:10.1145/1835449.1835550
-- differs: Equal to NTCIREVAL; none of trec_eval, ranx and ir_measures has it. Of gains, a greater grade's should not
--    be less.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it divides by the ideal ranking at each document, and no order of holes is known that is always best
-- scores: no
-- example: user-models GAP = 0.5
-- example: user-models GAP(gains={1:0.25,2:1}) = 0.4444
with precisions as (
    select
        evaluation_id,
        fsum(weight * share * relevant_rank / rank) as total
    from least_grade_ranks(gains := $gains, ties := $ties)
    group by evaluation_id
),
ideal as (
    select
        qrels_id,
        topic_id,
        sum(weight * num_rel) as total,
        min(weight) as least_weight
    from least_grade_weights(gains := $gains)
    group by qrels_id, topic_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case
        when $ties in ('rule', 'expected') or coalesce(ideal.least_weight, 0) >= 0
        then coalesce(precisions.total / nullif(ideal.total, 0), 0)
    end as value
from evaluated_topics
left join ideal using (qrels_id, topic_id)
left join precisions using (evaluation_id)

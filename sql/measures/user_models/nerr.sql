-- measure: nERR
-- title: Expected reciprocal rank, divided by that of the ideal ranking
-- parameters: k, max_rel, ties
--   max_rel integer? in [1, 1000] = 4        greatest grade there is, greater ones count as it; null is the
--                                            greatest of the judgment set
-- columns:
--   err         expected reciprocal rank
--   ideal_err   the same for the judged documents in the order of their grades
-- definition: ERR / ideal ERR, both of the first k; 0 if the ideal is 0.
-- reference: Clarke, Craswell, Soboroff and Ashkan 2011, A comparative analysis of cascade measures for novelty
--    and diversity, doi:10.1145/1935826.1935847
-- differs: ndeval's nERR-IA is the same over subtopics. Not to be taken for the NERR8 to NERR11 of ir_measures.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it divides by ERR of the ideal ranking, which every grade of a hole changes in another way
-- scores: no
-- example: user-models nERR(max_rel=2) = 0.549
with ideal_ranks as (
    select
        judged_documents.qrels_id as qrels_id,
        judged_documents.topic_id as topic_id,
        satisfactions.satisfaction as satisfaction,
        row_number() over (
            partition by judged_documents.qrels_id, judged_documents.topic_id
            order by judged_documents.grade desc
        ) as rank
    from judged_documents
    join satisfactions(max_rel := $max_rel) as satisfactions using (qrels_id, grade)
),
ideal_stops as (
    select
        qrels_id,
        topic_id,
        rank,
        satisfaction * coalesce(
            product(1 - satisfaction) over (
                partition by qrels_id, topic_id
                order by rank
                rows between unbounded preceding and 1 preceding
            ),
            1
        ) as probability
    from ideal_ranks
),
ideal as (
    select
        ideal_stops.qrels_id,
        ideal_stops.topic_id,
        cutoffs.k,
        fsum(ideal_stops.probability / ideal_stops.rank) as expected
    from ideal_stops
    join cutoffs(k := $k) as cutoffs on ideal_stops.rank <= cutoffs.last_rank
    group by ideal_stops.qrels_id, ideal_stops.topic_id, cutoffs.k
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    actual.k,
    coalesce(actual.value / nullif(ideal.expected, 0), 0) as value,
    actual.value as err,
    coalesce(ideal.expected, 0) as ideal_err
from evaluated_topics
join err(k := $k, max_rel := $max_rel, ties := $ties) as actual using (qrels, run, topic)
left join ideal
    on ideal.qrels_id = evaluated_topics.qrels_id
    and ideal.topic_id = evaluated_topics.topic_id
    and ideal.k is not distinct from actual.k

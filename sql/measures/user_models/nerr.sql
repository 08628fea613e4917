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
-- scores: no
-- example: user-models nERR(max_rel=2) = 0.549
with ideal_chances as (
    select
        ideal_gains.qrels_id,
        ideal_gains.topic_id,
        ideal_gains.rank,
        ideal_gains.gain / max_gains.scale as chance
    from ideal_gains(dcg := 'exp-log2', max_rel := $max_rel) as ideal_gains
    join max_gains(dcg := 'exp-log2', max_rel := $max_rel) as max_gains
        on max_gains.qrels_id = ideal_gains.qrels_id
),
cascades as (
    -- A chance is below 1 but where 2^max_rel has more digits than a number holds.
    select
        qrels_id,
        topic_id,
        rank,
        chance,
        sum(case when chance < 1 then ln(1 - chance) else -1000 end) over (
            partition by qrels_id, topic_id
            order by rank
            rows between unbounded preceding and 1 preceding
        ) as logarithm
    from ideal_chances
),
ideal as (
    select
        qrels_id,
        topic_id,
        sum(exp(coalesce(logarithm, 0)) * chance / rank) as total
    from cascades
    where rank <= coalesce($k, rank)
    group by qrels_id, topic_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(found.value / nullif(ideal.total, 0), 0) as value,
    found.value as err,
    coalesce(ideal.total, 0) as ideal_err
from evaluated_topics
join err(k := $k, max_rel := $max_rel, ties := $ties) as found
    on found.qrels = evaluated_topics.qrels
    and found.run = evaluated_topics.run
    and found.topic = evaluated_topics.topic
left join ideal
    on ideal.qrels_id = evaluated_topics.qrels_id
    and ideal.topic_id = evaluated_topics.topic_id

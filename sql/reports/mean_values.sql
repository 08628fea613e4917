-- title: The mean of each measure over topics, for each order of tied documents among the answers
-- inputs: answered
-- parameters:
--   topics varchar in {all, retrieved, padded} = all   which topics are averaged: all of the judgments; those
--                                                      the run has; or those, a value of 0 for the others
--                                                      being added (0.00001 under a geometric mean)
-- columns: qrels, run, measure
--   ties         order of tied documents: rule (the tie rule's), worst, best or expected
--   value        mean over the topics; for counts the sum, for measures that say so the geometric mean or that by the
--                topics' weights; null where that of a topic is not known, as it may be under the worst or the best
--                order of tied documents
--   num_topics   topics averaged
with chosen as (
    select
        qrels,
        run,
        topic,
        measure,
        ties,
        value,
        value is not null as is_known
    from answered
    where $topics = 'all'
    union all
    select
        answered.qrels,
        answered.run,
        answered.topic,
        answered.measure,
        answered.ties,
        case when averaged_topics.missing then null else answered.value end as value,
        true as is_known
    from answered
    join averaged_topics using (qrels, run, topic)
    where
        $topics <> 'all'
        and (not averaged_topics.missing or $topics = 'padded')
),
given_weights as (
    select
        qrels.qrels,
        topics.topic,
        topic_weights.weight
    from topic_weights
    join qrels using (qrels_id)
    join topics on topics.topic_id = topic_weights.topic_id
),
added as (
    select
        chosen.qrels,
        chosen.run,
        chosen.topic,
        chosen.measure,
        chosen.ties,
        chosen.value,
        chosen.is_known,
        measures.mean,
        coalesce(given_weights.weight, 1) as weight,
        case
            when measures.mean = 'weighted' then chosen.value * coalesce(given_weights.weight, 1)
            when measures.mean <> 'geometric' then chosen.value
            when chosen.value > 0 then ln(chosen.value)
            when chosen.value <= 0 then 0
        end as addend
    from chosen
    join measures on measures.measure = regexp_extract(chosen.measure, '^[^(@]+')
    -- A measure that may be weighted says in its name when it is not to be.
    left join given_weights
        on given_weights.qrels = chosen.qrels
        and given_weights.topic = chosen.topic
        and measures.mean = 'weighted'
        and not contains(chosen.measure, 'weighted=false')
),
totals as (
    -- The order makes sums the same to the last digit each time.
    select
        qrels,
        run,
        measure,
        ties,
        mean,
        coalesce(sum(addend order by topic), 0) as total,
        sum(weight order by topic) filter (where mean = 'weighted') as weight,
        min(value) as least,
        count(case when not is_known then 1 end) as num_unknown,
        count(case when value is null then 1 end) as num_missing,
        count(*) as num_topics
    from added
    group by qrels, run, measure, ties, mean
)
select
    qrels,
    run,
    measure,
    ties,
    case
        when num_unknown > 0 then null
        when mean = 'sum' then total
        when mean = 'arithmetic' then total / num_topics
        when mean = 'weighted' then total / weight
        when least <= 0 then 0
        else exp((total + num_missing * ln(0.00001)) / num_topics)
    end as value,
    num_topics
from totals

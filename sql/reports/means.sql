-- title: The mean of each measure over topics, for each order of tied documents among the answers
-- inputs: answered
-- parameters:
--   topics varchar in {all, retrieved, padded} = all   which topics are averaged: all of the judgments; those
--                                                      the run has; or those, a value of 0 for the others
--                                                      being added (0.00001 under a geometric mean)
-- columns:
--   qrels        judgment set
--   run          run
--   measure      canonical name of the measure
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
        case when evaluated.missing then null else answered.value end as value,
        true as is_known
    from answered
    join evaluated
        on evaluated.qrels = answered.qrels
        and evaluated.run = answered.run
        and evaluated.topic = answered.topic
    where
        $topics <> 'all'
        and (not evaluated.missing or $topics = 'padded')
),
given_weights as (
    select
        qrels.qrels,
        topics.topic,
        topic_weights.weight
    from topic_weights
    join qrels on qrels.qrels_id = topic_weights.qrels_id
    join topics on topics.topic_id = topic_weights.topic_id
)
select
    chosen.qrels,
    chosen.run,
    chosen.measure,
    chosen.ties,
    case
        when count(case when not chosen.is_known then 1 end) > 0 then null
        when measures.mean = 'sum' then coalesce(sum(chosen.value order by chosen.topic), 0)
        when measures.mean = 'arithmetic' then coalesce(sum(chosen.value order by chosen.topic), 0) / count(*)
        when measures.mean = 'weighted' then
            coalesce(sum(chosen.value * coalesce(given_weights.weight, 1) order by chosen.topic), 0)
            / sum(coalesce(given_weights.weight, 1) order by chosen.topic)
        when min(chosen.value) <= 0 then 0
        else exp(
            (
                coalesce(
                    sum(ln(case when chosen.value > 0 then chosen.value else 1 end) order by chosen.topic)
                        filter (where chosen.value is not null),
                    0
                )
                + count(*) filter (where chosen.value is null) * ln(0.00001)
            ) / count(*)
        )
    end as value,
    count(*) as num_topics
from chosen
join measures on measures.measure = regexp_extract(chosen.measure, '^[^(@]+')
-- A measure that may be weighted says in its name when it is not to be.
left join given_weights
    on given_weights.qrels = chosen.qrels
    and given_weights.topic = chosen.topic
    and measures.mean = 'weighted'
    and not contains(chosen.measure, 'weighted=false')
group by chosen.qrels, chosen.run, chosen.measure, chosen.ties, measures.mean

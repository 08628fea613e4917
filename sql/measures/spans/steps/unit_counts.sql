-- title: How many characters, tokens, lines or pages are judged relevant, retrieved down to a cutoff, and both
-- parameters: k, rel
-- columns: qrels, run, topic
--   k               rank cutoff; null is the whole ranking
--   num_judged      units that relevant spans cover, those in several of them once
--   num_retrieved   units that retrieved spans cover, those in several of them once
--   num_both        units that both cover
with judged_parts as (
    select *
    from judged_stretches(rel := $rel)
),
retrieved_parts as (
    select *
    from retrieved_stretches(k := $k)
),
judged_units as (
    select
        qrels_id,
        topic_id,
        sum(stretch_end - stretch_start) as num_units
    from judged_parts
    group by qrels_id, topic_id
),
retrieved_units as (
    select
        run_id,
        topic_id,
        last_rank,
        sum(stretch_end - stretch_start) as num_units
    from retrieved_parts
    group by run_id, topic_id, last_rank
),
shared as (
    -- Neither side covers a unit twice, so that what their stretches share can be added up.
    select
        judged_parts.qrels_id,
        retrieved_parts.run_id,
        judged_parts.topic_id,
        retrieved_parts.last_rank,
        sum(
            least(judged_parts.stretch_end, retrieved_parts.stretch_end)
                - greatest(judged_parts.stretch_start, retrieved_parts.stretch_start)
        ) as num_units
    from judged_parts
    join retrieved_parts
        on retrieved_parts.topic_id = judged_parts.topic_id
        and retrieved_parts.document_id = judged_parts.document_id
        and retrieved_parts.stretch_start < judged_parts.stretch_end
        and retrieved_parts.stretch_end > judged_parts.stretch_start
    group by judged_parts.qrels_id, retrieved_parts.run_id, judged_parts.topic_id, retrieved_parts.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    cast(coalesce(judged_units.num_units, 0) as double) as num_judged,
    cast(coalesce(retrieved_units.num_units, 0) as double) as num_retrieved,
    cast(coalesce(shared.num_units, 0) as double) as num_both
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join judged_units using (qrels_id, topic_id)
left join retrieved_units using (run_id, topic_id, last_rank)
left join shared using (qrels_id, run_id, topic_id, last_rank)

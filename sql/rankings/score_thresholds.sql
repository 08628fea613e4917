-- title: The score at which a run is cut so that enough topics show k false positives
-- parameters:
--   k integer in [1, inf) = 5            false positives that a topic must show
--   rel integer in [0, inf) = 1          least grade that counts as relevant
--   quantile double in (0, 1] = 0.5      share of the topics that must show them
-- columns:
--   qrels_id    key of the judgment set
--   run_id      key of the run
--   strength    strength of the weakest document kept
--   reached     whether enough topics show k false positives; if not, the cut is the lowest score of all
--               lists
with relevant_above as (
    -- Relevant documents with fewer than k false positives above them.
    select
        evaluation_id,
        count(*) as num_rel
    from relevant_ranks(rel := $rel)
    where rank - nth < $k
    group by evaluation_id
),
false_positives as (
    -- The k-th false positive stands k places down, and one more for each relevant document above it.
    select
        evaluated.evaluation_id,
        evaluated.qrels_id,
        evaluated.run_id,
        evaluated.topic_id,
        evaluated.num_ret,
        $k + coalesce(relevant_above.num_rel, 0) as rank
    from evaluated
    left join relevant_above on relevant_above.evaluation_id = evaluated.evaluation_id
),
candidates as (
    select
        false_positives.evaluation_id,
        false_positives.qrels_id,
        false_positives.run_id,
        min(scored.strength) as strength
    from false_positives
    join scored
        on scored.run_id = false_positives.run_id
        and scored.topic_id = false_positives.topic_id
        and scored.rank <= false_positives.rank
    where false_positives.rank <= false_positives.num_ret
    group by
        false_positives.evaluation_id,
        false_positives.qrels_id,
        false_positives.run_id
),
ordered as (
    select
        qrels_id,
        run_id,
        strength,
        row_number() over (
            partition by qrels_id, run_id
            order by strength desc
        ) as topics_cut
    from candidates
),
topic_counts as (
    select
        qrels_id,
        run_id,
        count(*) as num_topics
    from evaluated
    group by qrels_id, run_id
),
weakest as (
    select
        evaluated.qrels_id,
        evaluated.run_id,
        min(scored.strength) as strength
    from evaluated
    join scored
        on scored.run_id = evaluated.run_id
        and scored.topic_id = evaluated.topic_id
    group by evaluated.qrels_id, evaluated.run_id
),
strictest as (
    -- The factor forgives a quantile that has no exact binary form, 0.7 of 10 topics being 7.
    select
        topic_counts.qrels_id,
        topic_counts.run_id,
        max(ordered.strength) as strength
    from topic_counts
    join ordered
        on ordered.qrels_id = topic_counts.qrels_id
        and ordered.run_id = topic_counts.run_id
        and ordered.topics_cut >= $quantile * topic_counts.num_topics * (1 - 1e-12)
    group by topic_counts.qrels_id, topic_counts.run_id
)
select
    weakest.qrels_id,
    weakest.run_id,
    coalesce(strictest.strength, weakest.strength) as strength,
    strictest.strength is not null as reached
from weakest
left join strictest
    on strictest.qrels_id = weakest.qrels_id
    and strictest.run_id = weakest.run_id

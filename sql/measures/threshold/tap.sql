-- measure: TAP
-- title: Threshold average precision
-- aliases: TAP-k, tap_k
-- parameters:
--   k integer in [1, inf) = 5                false positives that a topic must show before the run is cut
--   rel integer in [0, inf) = 1              least grade that counts as relevant
--   quantile double in (0, 1] = 0.5          share of the topics that must show them; 0.5 is the median
--   reward_silence boolean = false           a topic without relevant documents scores 1 / (documents
--                                            kept + 1) instead of 0
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                     the worst, the best or what is expected over all orders
-- columns:
--   threshold       the score at which the run is cut: the strictest at which enough topics show k false
--                   positives, else the lowest of all lists; null if the run has no documents for these
--                   topics
--   num_kept        documents kept, all ties at the threshold with them
-- definition: With the n documents kept, of which r are relevant, and R relevant documents in all: (sum
--    of the precision at each relevant document kept + r / n) / (R + 1); 0 if none is kept.
-- reference: Carroll, Kann, Sheetlin and Spouge 2010, Threshold Average Precision (TAP-k),
--    doi:10.1093/bioinformatics/btq270
-- differs: When no score shows k false positives in enough topics, the published program stops with an
--    error; this follows the definition and takes the lowest score. That program gives 1 / (n + 1) to a
--    topic without relevant documents.
-- range: 0 1
-- mean: arithmetic
-- example: tap-1 TAP@5 = 0.3114
-- example: tap-2 TAP@5 = 0.228
-- example: tap-3 TAP@5 = 0.277
with kept as (
    select
        evaluated.evaluation_id as evaluation_id,
        evaluated.qrels_id as qrels_id,
        evaluated.run_id as run_id,
        runs.tie_rule,
        runs.lower_is_better,
        scored.rank,
        scored.score,
        row_number() over (
            partition by evaluated.evaluation_id
            order by scored.rank
        ) as kept_rank
    from score_thresholds(k := $k, rel := $rel, quantile := $quantile) as score_thresholds
    join evaluated
        on evaluated.qrels_id = score_thresholds.qrels_id
        and evaluated.run_id = score_thresholds.run_id
    join scored
        on scored.run_id = evaluated.run_id
        and scored.topic_id = evaluated.topic_id
        and scored.strength >= score_thresholds.strength
    join runs on runs.run_id = evaluated.run_id
),
thresholds as (
    select
        qrels_id,
        run_id,
        case
            when lower_is_better then max(score)
            else min(score)
        end as score
    from kept
    group by qrels_id, run_id, lower_is_better
),
relevant as (
    select
        kept.evaluation_id,
        kept.kept_rank,
        row_number() over (
            partition by kept.evaluation_id
            order by kept.kept_rank
        ) as nth
    from kept
    join relevant_ranks(rel := $rel, ties := $ties) as relevant_ranks
        on relevant_ranks.evaluation_id = kept.evaluation_id
        and relevant_ranks.rank = kept.rank
),
precisions as (
    select
        evaluation_id,
        count(*) as num_rel,
        sum(cast(nth as double) / kept_rank) as total
    from relevant
    group by evaluation_id
),
expected as (
    -- The list is cut between groups of tied documents, so each is kept or left out as a whole.
    select
        kept.evaluation_id,
        sum(relevant_precisions.precision) as total
    from kept
    join relevant_precisions(rel := $rel, ties := $ties) as relevant_precisions
        on relevant_precisions.evaluation_id = kept.evaluation_id
        and relevant_precisions.rank = kept.rank
    where
        $ties = 'expected'
        and kept.tie_rule in ('trec_eval', 'trec_eval_10')
    group by kept.evaluation_id
),
sizes as (
    select
        evaluation_id,
        count(*) as num_kept
    from kept
    group by evaluation_id
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    case
        when $reward_silence and topic_facts.num_rel = 0
        then 1 / (coalesce(sizes.num_kept, 0) + cast(1 as double))
        else coalesce(
            coalesce(expected.total, precisions.total)
                + cast(precisions.num_rel as double) / sizes.num_kept,
            0
        )
            / (topic_facts.num_rel + 1)
    end as value,
    thresholds.score as threshold,
    coalesce(sizes.num_kept, 0) as num_kept
from evaluated
join topic_facts(rel := $rel) as topic_facts
    on topic_facts.qrels_id = evaluated.qrels_id
    and topic_facts.topic_id = evaluated.topic_id
left join thresholds
    on thresholds.qrels_id = evaluated.qrels_id
    and thresholds.run_id = evaluated.run_id
left join sizes on sizes.evaluation_id = evaluated.evaluation_id
left join precisions on precisions.evaluation_id = evaluated.evaluation_id
left join expected on expected.evaluation_id = evaluated.evaluation_id

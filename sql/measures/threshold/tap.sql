-- measure: TAP
-- title: Threshold average precision
-- aliases: TAP-k, tap_k
-- parameters: k, rel, quantile, weighted, threshold, insufficient, reward_silence, ties
--   k integer in [1, inf) = 5                false positives that a topic must show before the run is cut
--   threshold double in (-inf, inf) = null   score at which to cut, in the run's own direction; k, quantile and
--                                            insufficient are then ignored; null takes it from k and the quantile
--   insufficient varchar in {lowest, uncut} = lowest   where no score shows k false positives in enough topics: cut
--                                            at the lowest score of all lists, or do not cut and leave r / n out
--   reward_silence boolean = false           a topic without relevant documents scores 1 / (documents
--                                            kept + 1) instead of 0
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's; or the worst value
--                                            over all orders, the best, or the mean of all; the threshold is the same
--                                            under each of them
-- columns:
--   threshold       the given score; else that of the weakest document kept in all lists; null if the run has no
--                   documents for these topics or is not cut
--   num_kept        documents kept, including all tied at the threshold
--   reached         whether enough topics show k false positives; null if the threshold was given
--   weight          weight of the topic in the mean
-- definition: A threshold cuts all rankings of a run at one score. A topic's candidate is the score of its k-th false
--    positive, k documents that are not relevant, judged or not, standing down to it. The one chosen is the strictest
--    candidate at which topics with the quantile of all weight show k false positives. Documents with that score or a
--    better one are kept. With the n documents kept of a topic, of which r are relevant, and its R relevant documents
--    in all, the value is (sum of the precision at each relevant document kept + r / n) / (R + 1); 0 if none is kept.
--    The mean is weighted by topic.
-- reference: Carroll, Kann, Sheetlin and Spouge 2010, Threshold Average Precision (TAP-k),
--    doi:10.1093/bioinformatics/btq270
-- differs: When no score shows k false positives in enough topics, the published program stops with an
--    error, or does not cut when told to pad (insufficient='uncut'); this follows the definition and takes the
--    lowest score. That program gives 1 / (n + 1) to a topic without relevant documents (reward_silence=true).
-- range: 0 1
-- mean: weighted
-- example: tap-1 TAP@5 = 0.3114
-- example: tap-2 TAP@5 = 0.228
-- example: tap-3 TAP@5 = 0.277
-- example: tap-weights TAP@2 = 0.3194
with relevant_above as (
    select
        evaluation_id,
        count(*) as num_rel
    from relevant_ranks(rel := $rel)
    where
        rank - relevant_rank < $k
        and $threshold is null
    group by evaluation_id
),
false_positives as (
    -- The k-th false positive stands k ranks down, and one more for each relevant document above it.
    select
        evaluated_weights.evaluation_id,
        evaluated_weights.qrels_id,
        evaluated_weights.run_id,
        evaluated_weights.topic_id,
        evaluated_weights.weight,
        $k + coalesce(relevant_above.num_rel, 0) as rank
    from evaluated_weights(weighted := $weighted) as evaluated_weights
    left join relevant_above on relevant_above.evaluation_id = evaluated_weights.evaluation_id
),
candidates as (
    -- The threshold that keeps all down to it is the weakest score there. Lists that are too short have none. Scores of
    -- which lower ones are better are turned round.
    select
        false_positives.evaluation_id,
        case when runs.lower_is_better then -max(retrieved.score) else min(retrieved.score) end as signed_score
    from false_positives
    join runs on runs.run_id = false_positives.run_id
    join asked_retrieved() as retrieved
        on retrieved.run_id = false_positives.run_id
        and retrieved.topic_id = false_positives.topic_id
        and retrieved.rank <= false_positives.rank
    where $threshold is null
    group by false_positives.evaluation_id, runs.lower_is_better
    having count(*) = max(false_positives.rank)
),
cumulated as (
    select
        false_positives.qrels_id,
        false_positives.run_id,
        candidates.signed_score,
        sum(false_positives.weight) over (
            partition by false_positives.qrels_id, false_positives.run_id
            order by candidates.signed_score desc nulls last, false_positives.evaluation_id
            rows between unbounded preceding and current row
        ) as weight_reached,
        sum(false_positives.weight) over (partition by false_positives.qrels_id, false_positives.run_id) as total_weight
    from false_positives
    left join candidates on candidates.evaluation_id = false_positives.evaluation_id
),
chosen as (
    -- The factor forgives a quantile that has no exact binary form, 0.7 of 10 topics being 7.
    select
        qrels_id,
        run_id,
        max(case when weight_reached >= $quantile * total_weight * (1 - 1e-12) then signed_score end) as signed_score
    from cumulated
    group by qrels_id, run_id
),
thresholds as (
    -- Where none is chosen all is kept: no score is below the least number there is.
    select
        chosen.qrels_id,
        chosen.run_id,
        chosen.signed_score is not null as reached,
        runs.tie_rule in ('trec_eval', 'trec_eval_10') as ranked_by_score,
        runs.tie_rule,
        runs.lower_is_better,
        case
            when $threshold is not null then comparison_score($threshold, runs.tie_rule, runs.lower_is_better)
            when chosen.signed_score is null then -1.7976931348623157e308
            else comparison_score(chosen.signed_score, runs.tie_rule, false)
        end as cut_score
    from chosen
    join runs on runs.run_id = chosen.run_id
),
ranges as (
    -- Scores beyond these bounds cannot be kept, for to compare in 32 bits moves a score by less than a ten millionth.
    -- Only what lies within them is compared, which takes longer.
    select
        evaluations.evaluation_id,
        evaluations.run_id,
        evaluations.topic_id,
        thresholds.ranked_by_score,
        thresholds.tie_rule,
        thresholds.lower_is_better,
        thresholds.cut_score,
        case
            when thresholds.lower_is_better or thresholds.cut_score <= -3.4e38 then -1.7976931348623157e308
            else least(thresholds.cut_score, 3.4e38) - abs(thresholds.cut_score) * 1e-7 - 1e-44
        end as lower_bound,
        case
            when not thresholds.lower_is_better or thresholds.cut_score <= -3.4e38 then 1.7976931348623157e308
            else greatest(-thresholds.cut_score, -3.4e38) + abs(thresholds.cut_score) * 1e-7 + 1e-44
        end as upper_bound
    from asked_evaluations() as evaluations
    join thresholds
        on thresholds.qrels_id = evaluations.qrels_id
        and thresholds.run_id = evaluations.run_id
),
kept as (
    select
        ranges.evaluation_id,
        ranges.ranked_by_score,
        count(*) as num_kept,
        min(retrieved.score) as lowest_score,
        max(retrieved.score) as highest_score
    from ranges
    join asked_retrieved() as retrieved
        on retrieved.run_id = ranges.run_id
        and retrieved.topic_id = ranges.topic_id
    where
        retrieved.score >= ranges.lower_bound
        and retrieved.score <= ranges.upper_bound
        and comparison_score(retrieved.score, ranges.tie_rule, ranges.lower_is_better) >= ranges.cut_score
    group by ranges.evaluation_id, ranges.ranked_by_score
),
renumbered as (
    -- Rankings that are not in the order of their scores (tie rules rank and input) are not cut at a rank: what is kept
    -- may stand anywhere in them, and is numbered anew.
    select
        ranges.evaluation_id,
        retrieved.rank,
        row_number() over (
            partition by ranges.evaluation_id
            order by retrieved.rank
        ) as kept_rank
    from ranges
    join asked_retrieved() as retrieved
        on retrieved.run_id = ranges.run_id
        and retrieved.topic_id = ranges.topic_id
    where
        not ranges.ranked_by_score
        and comparison_score(retrieved.score, ranges.tie_rule, ranges.lower_is_better) >= ranges.cut_score
),
kept_relevant as (
    -- A ranking by score is cut below a tie, so that each tie is kept or left out as a whole.
    select
        kept.evaluation_id,
        documents.rank,
        documents.relevant_rank,
        documents.share
    from kept
    join relevant_ranks(rel := $rel, ties := $ties) as documents
        on documents.evaluation_id = kept.evaluation_id
        and documents.rank <= kept.num_kept
    where kept.ranked_by_score
    union all
    select
        renumbered.evaluation_id,
        renumbered.kept_rank as rank,
        row_number() over (
            partition by renumbered.evaluation_id
            order by renumbered.kept_rank
        ) as relevant_rank,
        1 as share
    from kept
    join asked_ranks() as judged_ranks on judged_ranks.evaluation_id = kept.evaluation_id
    join renumbered
        on renumbered.evaluation_id = judged_ranks.evaluation_id
        and renumbered.rank = judged_ranks.rank
    where
        not kept.ranked_by_score
        and judged_ranks.grade >= $rel
),
precisions as (
    -- The share is 1 but for what is expected over all orders of tied documents.
    select
        evaluation_id,
        round(sum(share)) as num_rel,
        sum(share * relevant_rank / rank) as total
    from kept_relevant
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case
        when $reward_silence and topic_counts.num_rel = 0 then 1 / (coalesce(kept.num_kept, 0) + cast(1 as double))
        else coalesce(
            precisions.total
                + case
                    when $insufficient = 'uncut' and $threshold is null and not thresholds.reached then 0
                    else precisions.num_rel / kept.num_kept
                end,
            0
        ) / (topic_counts.num_rel + 1)
    end as value,
    case
        when $threshold is not null then $threshold
        when $insufficient = 'uncut' and not thresholds.reached then null
        when thresholds.lower_is_better then max(kept.highest_score) over per_run
        else min(kept.lowest_score) over per_run
    end as threshold,
    coalesce(kept.num_kept, 0) as num_kept,
    case when $threshold is null then thresholds.reached end as reached,
    evaluated_weights.weight
from evaluated_topics
join evaluated_weights(weighted := $weighted) as evaluated_weights
    on evaluated_weights.evaluation_id = evaluated_topics.evaluation_id
join topic_counts(rel := $rel) as topic_counts
    on topic_counts.qrels_id = evaluated_topics.qrels_id
    and topic_counts.topic_id = evaluated_topics.topic_id
join thresholds
    on thresholds.qrels_id = evaluated_topics.qrels_id
    and thresholds.run_id = evaluated_topics.run_id
left join kept on kept.evaluation_id = evaluated_topics.evaluation_id
left join precisions on precisions.evaluation_id = evaluated_topics.evaluation_id
window per_run as (partition by evaluated_topics.qrels, evaluated_topics.run)

-- measure: TAP
-- title: Threshold average precision
-- aliases: TAP-k, tap_k
-- parameters: k, rel, quantile, weighted, threshold, insufficient, reward_silence, ties
--   k integer in [1, inf) = 5                false positives that a topic must show before the run is cut
--   threshold double in (-inf, inf) = null   score at which to cut, in the run's own direction; k, quantile and
--                                            insufficient are then of no account; null is the score that k gives
--   insufficient varchar in {lowest, uncut} = lowest   where no score shows k false positives in enough topics: cut
--                                            at the lowest score of all lists, or do not cut, in which case the
--                                            r / n below is left out
--   reward_silence boolean = false           a topic without relevant documents scores 1 / (documents
--                                            kept + 1) instead of 0
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                     the worst, the best or what is expected over all orders; whatever the other
--                                     parameters are, for no order moves the threshold
-- columns:
--   threshold       the score at which the run is cut: the given one; else the strictest at which enough topics show k
--                   false positives, else the lowest of all lists; null if the run has no documents for these
--                   topics or is not cut
--   num_kept        documents kept, all ties at the threshold with them
--   reached         whether enough topics show k false positives; null if the threshold was given
--   weight          weight of the topic in the mean
-- definition: With the n documents kept, of which r are relevant, and R relevant documents in all: (sum
--    of the precision at each relevant document kept + r / n) / (R + 1); 0 if none is kept. The mean is
--    weighted by topic.
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
with kept as (
    select
        evaluation_id,
        qrels_id,
        run_id,
        topic_id,
        num_kept,
        comparison_score,
        weakest,
        lower_is_better,
        with_ties,
        reached
    from thresholded_rankings(
        k := $k,
        rel := $rel,
        quantile := $quantile,
        weighted := $weighted,
        threshold := $threshold
    )
),
cuts as (
    select
        qrels_id,
        run_id,
        reached,
        case when lower_is_better then max(weakest) else min(weakest) end as weakest
    from kept
    group by qrels_id, run_id, reached, lower_is_better
),
unordered as (
    -- Where the ranking is not by score, what is kept may stand anywhere in it.
    select
        kept.evaluation_id,
        retrieved_scores.rank,
        row_number() over (
            partition by kept.evaluation_id
            order by retrieved_scores.rank
        ) as kept_rank
    from kept
    join retrieved_scores
        on retrieved_scores.run_id = kept.run_id
        and retrieved_scores.topic_id = kept.topic_id
        and retrieved_scores.comparison_score >= kept.comparison_score
    where not kept.with_ties
),
unordered_relevant as (
    select
        kept.evaluation_id,
        judged_ranks.rank
    from kept
    join judged_ranks on judged_ranks.evaluation_id = kept.evaluation_id
    where
        not kept.with_ties
        and judged_ranks.grade >= $rel
),
relevant as (
    -- A list by score is cut between groups of tied documents, so each is kept or left out as a whole.
    select
        kept.evaluation_id,
        relevant_precisions.precision,
        relevant_precisions.share
    from kept
    join relevant_precisions(rel := $rel, ties := $ties) as relevant_precisions
        on relevant_precisions.evaluation_id = kept.evaluation_id
        and relevant_precisions.rank <= kept.num_kept
    where kept.with_ties
    union all
    select
        unordered.evaluation_id,
        cast(
            row_number() over (
                partition by unordered.evaluation_id
                order by unordered.kept_rank
            ) as double
        )
            / unordered.kept_rank as precision,
        1 as share
    from unordered
    join unordered_relevant
        on unordered_relevant.evaluation_id = unordered.evaluation_id
        and unordered_relevant.rank = unordered.rank
),
precisions as (
    select
        evaluation_id,
        round(sum(share)) as num_rel,
        sum(precision) as total
    from relevant
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case
        when $reward_silence and topic_counts.num_rel = 0
        then 1 / (coalesce(kept.num_kept, 0) + cast(1 as double))
        else coalesce(
            precisions.total
                + case
                    when $insufficient = 'uncut' and not cuts.reached then 0
                    else precisions.num_rel / kept.num_kept
                end,
            0
        )
            / (topic_counts.num_rel + 1)
    end as value,
    case
        when $threshold is not null then $threshold
        when $insufficient = 'lowest' or cuts.reached then cuts.weakest
    end as threshold,
    coalesce(kept.num_kept, 0) as num_kept,
    case when $threshold is null then coalesce(cuts.reached, false) end as reached,
    own_weights.weight
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts
    on topic_counts.qrels_id = evaluated_topics.qrels_id
    and topic_counts.topic_id = evaluated_topics.topic_id
join evaluated_weights(weighted := $weighted) as own_weights on own_weights.evaluation_id = evaluated_topics.evaluation_id
left join cuts
    on cuts.qrels_id = evaluated_topics.qrels_id
    and cuts.run_id = evaluated_topics.run_id
left join kept on kept.evaluation_id = evaluated_topics.evaluation_id
left join precisions on precisions.evaluation_id = evaluated_topics.evaluation_id

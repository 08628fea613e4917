-- measure: TAP
-- title: Threshold average precision
-- aliases: TAP-k, tap_k
-- parameters: k, rel, quantile, weighted, threshold, insufficient, reward_silence, ties
--   k integer in [1, inf) = 5                false positives that enough topics must have at the threshold
--   threshold double in (-inf, inf) = null   a threshold on the scale of the run's scores; k, quantile and insufficient
--                                            are then ignored; null takes it from k and the quantile
--   insufficient varchar in {lowest, uncut} = lowest   where too few topics have k false positives all documents are
--                                            kept: lowest cuts at the last score, uncut leaves r / n out of the value
--   reward_silence boolean = false           a topic without relevant documents scores 1 / (documents
--                                            kept + 1) instead of 0
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's; or the worst value
--                                            over all orders, the best, or the mean of all; the threshold is the same
--                                            under each of them
-- columns:
--   threshold       the given score, or else the worst that is kept in any of the run's rankings; null if the run has
--                   no documents for these topics or is not cut
--   num_kept        documents kept, including all tied at the threshold
--   reached         whether enough topics have k false positives; null if the threshold was given
--   weight          weight of the topic in the mean
-- definition: A threshold cuts all rankings of a run at one score. A false positive is a document retrieved that is not
--    relevant, judged or not. The score of a topic's k-th false positive is a candidate for the threshold. The one
--    chosen is the strictest candidate at which topics with the quantile of all weight, or more, have k false
--    positives. Documents with that score or a better one are kept. Of a topic's R relevant documents r are among the n
--    that are kept. The value is (sum of the precision at each of these r + r / n) / (R + 1); 0 if none is kept. The
--    mean is weighted by topic.
-- reference: Carroll, Kann, Sheetlin and Spouge 2010, Threshold Average Precision (TAP-k),
--    doi:10.1093/bioinformatics/btq270
-- differs: When no score shows k false positives in enough topics, the published program stops with an
--    error, or does not cut when told to pad (insufficient='uncut'); this follows the definition and takes the
--    lowest score. That program gives 1 / (n + 1) to a topic without relevant documents (reward_silence=true).
-- range: 0 1
-- mean: weighted
-- holes: none, one threshold cuts all topics, and a hole of one moves it for the others
-- example: tap-1 TAP@5 = 0.3114
-- example: tap-2 TAP@5 = 0.228
-- example: tap-3 TAP@5 = 0.277
-- example: tap-weights TAP@2 = 0.3194
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    kept.k,
    case
        when $reward_silence and topic_counts.num_rel = 0 then 1 / (kept.num_kept + 1)
        else (
            kept.total_precision
            + case
                -- The precision where the ranking is cut, if it is.
                when $threshold is not null or kept.reached or $insufficient = 'lowest'
                    then coalesce(kept.num_rel_kept / nullif(kept.num_kept, 0), 0)
                else 0
            end
        ) / (topic_counts.num_rel + 1)
    end as value,
    case
        when $threshold is not null then $threshold
        when kept.reached or $insufficient = 'lowest' then kept.worst_score
    end as threshold,
    kept.num_kept,
    case when $threshold is null then kept.reached end as reached,
    evaluated_weights.weight
from evaluated_topics
join evaluated_weights(weighted := $weighted) as evaluated_weights using (evaluation_id)
join topic_counts(rel := $rel) as topic_counts
    on topic_counts.qrels_id = evaluated_topics.qrels_id
    and topic_counts.topic_id = evaluated_topics.topic_id
join tap_precisions(
    k := $k, rel := $rel, quantile := $quantile, weighted := $weighted, threshold := $threshold, ties := $ties
) as kept using (evaluation_id)

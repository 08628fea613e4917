-- title: The precision at each relevant document that TAP keeps, summed up by ranking
-- parameters: k, rel, quantile, weighted, threshold, ties
--   k integer in [1, inf) = 5                false positives that a topic must have
--   threshold double in (-inf, inf) = null   a threshold on the scale of the run's scores; null takes it from k and the
--                                            quantile
-- columns: evaluation_id
--   k                 false positives
--   reached           whether topics with the quantile of all weight have k false positives
--   worst_score       the worst score that is kept in any of the run's rankings, as it stood in the file
--   num_kept          documents kept, including all tied at the threshold
--   num_rel_kept      relevant documents among them
--   total_precision   sum of the precision at each of these
with kept as (
    select
        tap_kept.*,
        runs.tie_rule,
        runs.lower_is_better,
        runs.tie_rule not in ('rank', 'input') as ranked_by_score
    from tap_kept(
        k := $k, rel := $rel, quantile := $quantile, weighted := $weighted, threshold := $threshold
    ) as tap_kept
    join runs using (run_id)
),
renumbered as (
    -- In a ranking that has an order of its own what is kept may stand anywhere. It is numbered anew.
    select
        kept.evaluation_id,
        kept.k,
        retrieved.rank,
        row_number() over (
            partition by kept.evaluation_id, kept.k
            order by retrieved.rank
        ) as kept_rank
    from kept
    join asked_retrieved() as retrieved using (run_id, topic_id)
    where
        not kept.ranked_by_score
        and comparison_score(retrieved.score, kept.tie_rule, kept.lower_is_better) >= kept.comparison_score
),
relevant as (
    -- A ranking by score is kept down to a rank. A tie is kept or left out as a whole, so that this holds for each
    -- order of the tied.
    select
        kept.evaluation_id,
        kept.k,
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
        renumbered.k,
        renumbered.kept_rank as rank,
        row_number() over (
            partition by renumbered.evaluation_id, renumbered.k
            order by renumbered.kept_rank
        ) as relevant_rank,
        1 as share
    from renumbered
    join asked_ranks() as judged_ranks using (evaluation_id, rank)
    where judged_ranks.grade >= $rel
),
totals as (
    -- What is expected of a tie adds up to a whole number, but for its rounding.
    select
        evaluation_id,
        relevant.k,
        round(sum(share)) as num_rel_kept,
        fsum(share * relevant_rank / rank) as total_precision
    from relevant
    group by evaluation_id, relevant.k
)
select
    kept.evaluation_id,
    kept.k,
    kept.reached,
    kept.worst_score,
    kept.num_kept,
    coalesce(totals.num_rel_kept, 0) as num_rel_kept,
    coalesce(totals.total_precision, 0) as total_precision
from kept
left join totals using (evaluation_id, k)

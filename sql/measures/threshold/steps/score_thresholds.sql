-- title: The score at which a run is cut: a given one, or that at which enough topics show k false positives
-- parameters: k, rel, quantile, weighted, threshold
--   k integer in [1, inf) = 5            false positives that a topic must show
--   threshold double in (-inf, inf) = null   score at which to cut, whatever the false positives
-- columns:
--   qrels_id          key of the judgment set
--   run_id            key of the run
--   comparison_score          strength of the weakest document kept, or the least that is kept; where too few topics show k
--                     false positives the lowest number there is, so that all is kept
--   reached           whether enough topics show k false positives; null where the score was given
--   tie_rule          how documents were ordered
--   lower_is_better   whether a smaller score is the better one
with relevant_above as (
    -- Relevant documents with fewer than k false positives above them.
    select
        evaluation_id,
        count(*) as num_rel
    from relevant_ranks(rel := $rel)
    where
        rank - nth < $k
        and $threshold is null
    group by evaluation_id
),
false_positives as (
    -- The k-th false positive stands k places down, and one more for each relevant document above it.
    select
        own_weights.evaluation_id,
        own_weights.qrels_id,
        own_weights.run_id,
        own_weights.topic_id,
        own_weights.weight,
        cast(least($k + coalesce(relevant_above.num_rel, 0), 2147483647) as integer) as rank
    from evaluated_weights(weighted := $weighted) as own_weights
    left join relevant_above on relevant_above.evaluation_id = own_weights.evaluation_id
),
shown as (
    -- The weakest document down to it, in lists that are long enough. Its score is enough: strength follows score.
    select
        false_positives.evaluation_id,
        min(retrieved.score) as least,
        max(retrieved.score) as greatest
    from false_positives
    join retrieved
        on retrieved.run_id = false_positives.run_id
        and retrieved.topic_id = false_positives.topic_id
        and retrieved.rank <= false_positives.rank
    where $threshold is null
    group by false_positives.evaluation_id
    having count(*) = max(false_positives.rank)
),
candidates as (
    select
        false_positives.evaluation_id,
        false_positives.qrels_id,
        false_positives.run_id,
        false_positives.weight,
        runs.tie_rule,
        runs.lower_is_better,
        case when runs.lower_is_better then -shown.greatest else shown.least end as signed
    from false_positives
    join runs on runs.run_id = false_positives.run_id
    left join shown on shown.evaluation_id = false_positives.evaluation_id
),
ordered as (
    select
        qrels_id,
        run_id,
        tie_rule,
        lower_is_better,
        signed,
        sum(weight) over (
            partition by qrels_id, run_id
            order by signed desc nulls last, evaluation_id
            rows between unbounded preceding and current row
        ) as weight_cut,
        sum(weight) over (partition by qrels_id, run_id) as weight
    from candidates
),
cuts as (
    -- The strictest will do. The factor forgives a quantile that has no exact binary form, 0.7 of 10 topics being 7.
    select
        qrels_id,
        run_id,
        tie_rule,
        lower_is_better,
        max(
            case
                when $threshold is null then
                    case when weight_cut >= $quantile * weight * (1 - 1e-12) then signed end
                when lower_is_better then -$threshold
                else $threshold
            end
        ) as signed
    from ordered
    group by qrels_id, run_id, tie_rule, lower_is_better
)
select
    qrels_id,
    run_id,
    coalesce(comparison_score(signed, tie_rule, false), -1.7976931348623157e308) as comparison_score,
    case when $threshold is null then signed is not null end as reached,
    tie_rule,
    lower_is_better
from cuts

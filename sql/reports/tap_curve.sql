-- title: How many false positives topics show at each score of a run, from which TAP takes its threshold
-- parameters: k, rel, quantile, weighted, insufficient
--   k integer in [1, inf) = 5                false positives that a topic must show before the run is cut
--   insufficient varchar in {lowest, uncut} = lowest   where no score shows k false positives in enough topics: cut
--                                            at the lowest score of all lists, or do not cut
-- columns:
--   qrels             judgment set
--   run               run
--   threshold         a score of the run, as it stood in the file; of scores that tie the weakest; where ranks
--                     contradict scores only those below all that stands above them
--   num_topics        topics that show at least k false positives with that score or a better one
--   share             the same as a share of all topics, by weight
--   false_positives   the greatest number of false positives that at least the given share of the topics, by weight,
--                     show there; for 0.5 their median, the upper of the two middle numbers
--   is_chosen         whether TAP cuts the run there: the strictest threshold at which share is enough
with totals as (
    select
        evaluated_topics.qrels,
        evaluated_topics.run,
        runs.lower_is_better,
        sum(own_weights.weight) as weight
    from evaluated_topics
    join runs on runs.run_id = evaluated_topics.run_id
    join evaluated_weights(weighted := $weighted) as own_weights
        on own_weights.evaluation_id = evaluated_topics.evaluation_id
    group by evaluated_topics.qrels, evaluated_topics.run, runs.lower_is_better
),
shown as (
    select
        documents_down.qrels,
        documents_down.run,
        documents_down.evaluation_id,
        documents_down.comparison_score,
        documents_down.score,
        own_weights.weight,
        -- What is relevant shows no further false positive.
        case when not documents_down.relevant then documents_down.num_errors end as nth
    from false_positives_shown(rel := $rel) as documents_down
    join evaluated_weights(weighted := $weighted) as own_weights
        on own_weights.evaluation_id = documents_down.evaluation_id
),
cumulated as (
    -- For each number of false positives the weight of the topics that show so many.
    select
        qrels,
        run,
        evaluation_id,
        comparison_score,
        score,
        nth,
        weight,
        sum(weight) over (
            partition by qrels, run, nth
            order by comparison_score desc, evaluation_id
            rows between unbounded preceding and current row
        ) as weight_cut
    from shown
),
stepped as (
    select
        qrels,
        run,
        comparison_score,
        score,
        nth,
        weight,
        weight_cut,
        coalesce(
            lag(weight_cut) over (
                partition by qrels, run, nth
                order by comparison_score desc, evaluation_id
            ),
            0
        ) as weight_before
    from cumulated
),
steps as (
    -- One more false positive is shown where the weight passes the quantile; the factor forgives one that has no
    -- exact binary form.
    select
        stepped.qrels,
        stepped.run,
        stepped.comparison_score,
        case when totals.lower_is_better then max(stepped.score) else min(stepped.score) end as score,
        totals.weight as total,
        count(case when stepped.nth = $k then 1 end) as topics,
        coalesce(sum(case when stepped.nth = $k then stepped.weight end), 0) as weight,
        count(
            case
                when
                    stepped.nth is not null
                    and stepped.weight_cut >= $quantile * totals.weight * (1 - 1e-12)
                    and stepped.weight_before < $quantile * totals.weight * (1 - 1e-12)
                then 1
            end
        ) as errors
    from stepped
    join totals
        on totals.qrels = stepped.qrels
        and totals.run = stepped.run
    group by stepped.qrels, stepped.run, stepped.comparison_score, totals.weight, totals.lower_is_better
),
curves as (
    select
        qrels,
        run,
        comparison_score,
        score,
        errors,
        sum(topics) over strictest_first as num_topics,
        sum(weight) over strictest_first / total as share,
        sum(errors) over strictest_first as false_positives,
        sum(errors) over whole as greatest,
        min(comparison_score) over whole as weakest
    from steps
    window
        strictest_first as (
            partition by qrels, run
            order by comparison_score desc
            rows between unbounded preceding and current row
        ),
        whole as (partition by qrels, run)
)
select
    qrels,
    run,
    score as threshold,
    cast(num_topics as bigint) as num_topics,
    share,
    cast(false_positives as bigint) as false_positives,
    (false_positives >= $k and false_positives - errors < $k)
        or (greatest < $k and comparison_score = weakest and $insufficient = 'lowest') as is_chosen
from curves

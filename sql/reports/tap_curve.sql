-- title: The candidate thresholds of TAP: each score of a run, with how many false positives its topics show there
-- parameters: k, rel, quantile, weighted, insufficient, most
--   k integer in [1, inf) = 5                false positives that a topic must show before the run is cut
--   insufficient varchar in {lowest, uncut} = lowest   where no score shows k false positives in enough topics: cut
--                                            at the lowest score of all lists, or do not cut
--   most integer in [0, inf) = null          rankings are followed down to so many false positives, k at least, and
--                                            their last score: beyond k and that no figure is right, and
--                                            of scores that tie one is given, not always the weakest; null is all
-- columns: qrels, run
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
    join runs using (run_id)
    join evaluated_weights(weighted := $weighted) as own_weights
        on own_weights.evaluation_id = evaluated_topics.evaluation_id
    group by evaluated_topics.qrels, evaluated_topics.run, runs.lower_is_better
),
shown as (
    -- A relevant document shows no further false positive.
    select
        false_positives_shown.qrels,
        false_positives_shown.run,
        false_positives_shown.evaluation_id,
        false_positives_shown.comparison_score,
        false_positives_shown.score,
        own_weights.weight,
        case when not false_positives_shown.relevant then false_positives_shown.false_positives end as number_shown
    from false_positives_shown(
        rel := $rel,
        most := case when $most is not null then greatest($most, $k) end
    ) as false_positives_shown
    join evaluated_weights(weighted := $weighted) as own_weights using (evaluation_id)
),
cumulated as (
    -- For each number of false positives the weight of the topics that show so many.
    select
        qrels,
        run,
        evaluation_id,
        comparison_score,
        score,
        number_shown,
        weight,
        sum(weight) over (
            partition by qrels, run, number_shown
            order by comparison_score desc, evaluation_id
            rows between unbounded preceding and current row
        ) as weight_down
    from shown
),
compared as (
    select
        qrels,
        run,
        comparison_score,
        score,
        number_shown,
        weight,
        weight_down,
        coalesce(
            lag(weight_down) over (
                partition by qrels, run, number_shown
                order by comparison_score desc, evaluation_id
            ),
            0
        ) as weight_above
    from cumulated
),
rises as (
    -- The quantile of the topics shows one more where their weight passes it. The factor forgives a quantile that has
    -- no exact binary form.
    select
        compared.qrels,
        compared.run,
        compared.comparison_score,
        case when totals.lower_is_better then max(compared.score) else min(compared.score) end as score,
        totals.weight as total,
        count(case when compared.number_shown = $k then 1 end) as num_topics,
        coalesce(sum(case when compared.number_shown = $k then compared.weight end), 0) as weight,
        count(
            case
                when
                    compared.number_shown is not null
                    and compared.weight_down >= $quantile * totals.weight * (1 - 1e-12)
                    and compared.weight_above < $quantile * totals.weight * (1 - 1e-12)
                then 1
            end
        ) as rise
    from compared
    join totals using (qrels, run)
    group by compared.qrels, compared.run, compared.comparison_score, totals.weight, totals.lower_is_better
),
curves as (
    select
        qrels,
        run,
        comparison_score,
        score,
        rise,
        sum(num_topics) over strictest_first as num_topics,
        sum(weight) over strictest_first / total as share,
        sum(rise) over strictest_first as false_positives,
        sum(rise) over whole as greatest,
        min(comparison_score) over whole as weakest
    from rises
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
    (false_positives >= $k and false_positives - rise < $k)
        or (greatest < $k and comparison_score = weakest and $insufficient = 'lowest') as is_chosen
from curves

-- title: The score at which a run is cut: a given one, or that at which enough topics show k false positives
-- parameters:
--   k integer in [1, inf) = 5            false positives that a topic must show
--   rel integer in [0, inf) = 1          least grade that counts as relevant
--   quantile double in (0, 1] = 0.5      share of the topics, by weight, that must show them
--   weighted boolean = true              whether the weights of topics count
--   threshold double in (-inf, inf) = null   score at which to cut, whatever the false positives
-- columns:
--   qrels_id    key of the judgment set
--   run_id      key of the run
--   strength    strength of the weakest document kept, or the least that is kept
--   reached     whether enough topics show k false positives; if not, the cut is the lowest score of all
--               lists; null where the score was given
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
        evaluations.evaluation_id,
        evaluations.qrels_id,
        evaluations.run_id,
        evaluations.topic_id,
        $k + coalesce(relevant_above.num_rel, 0) as rank
    from evaluations
    left join relevant_above on relevant_above.evaluation_id = evaluations.evaluation_id
),
candidates as (
    select
        false_positives.evaluation_id,
        false_positives.qrels_id,
        false_positives.run_id,
        min(scored.strength) as strength
    from false_positives
    join run_topics
        on run_topics.run_id = false_positives.run_id
        and run_topics.topic_id = false_positives.topic_id
        and run_topics.num_ret >= false_positives.rank
    join scored
        on scored.run_id = false_positives.run_id
        and scored.topic_id = false_positives.topic_id
        and scored.rank <= false_positives.rank
    where $threshold is null
    group by
        false_positives.evaluation_id,
        false_positives.qrels_id,
        false_positives.run_id
),
ordered as (
    select
        candidates.qrels_id,
        candidates.run_id,
        candidates.strength,
        sum(own_weights.weight) over (
            partition by candidates.qrels_id, candidates.run_id
            order by candidates.strength desc, candidates.evaluation_id
            rows between unbounded preceding and current row
        ) as weight_cut
    from candidates
    join evaluated_weights(weighted := $weighted) as own_weights on own_weights.evaluation_id = candidates.evaluation_id
),
totals as (
    select
        qrels_id,
        run_id,
        sum(weight) as weight
    from evaluated_weights(weighted := $weighted)
    group by qrels_id, run_id
),
strictest as (
    -- The factor forgives a quantile that has no exact binary form, 0.7 of 10 topics being 7.
    select
        totals.qrels_id,
        totals.run_id,
        max(ordered.strength) as strength
    from totals
    join ordered
        on ordered.qrels_id = totals.qrels_id
        and ordered.run_id = totals.run_id
        and ordered.weight_cut >= $quantile * totals.weight * (1 - 1e-12)
    group by totals.qrels_id, totals.run_id
),
lists as (
    -- Whole lists are looked through only where it comes to that.
    select
        run_id,
        topic_id,
        min(strength) as strength
    from scored
    where
        $threshold is null
        and run_id in (
            select totals.run_id
            from totals
            left join strictest
                on strictest.qrels_id = totals.qrels_id
                and strictest.run_id = totals.run_id
            where strictest.run_id is null
        )
    group by run_id, topic_id
),
weakest as (
    select
        evaluations.qrels_id,
        evaluations.run_id,
        min(lists.strength) as strength
    from evaluations
    join lists
        on lists.run_id = evaluations.run_id
        and lists.topic_id = evaluations.topic_id
    left join strictest
        on strictest.qrels_id = evaluations.qrels_id
        and strictest.run_id = evaluations.run_id
    where strictest.run_id is null
    group by evaluations.qrels_id, evaluations.run_id
)
select
    qrels_id,
    run_id,
    strength,
    true as reached
from strictest
union all
select
    qrels_id,
    run_id,
    strength,
    false as reached
from weakest
union all
select
    totals.qrels_id,
    totals.run_id,
    given.strength,
    null as reached
from totals
join given_strengths(threshold := $threshold) as given on given.run_id = totals.run_id

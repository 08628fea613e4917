-- title: The score of each topic's k-th false positive, a candidate for the threshold at which TAP cuts the run
-- parameters: k, rel, weighted
--   k integer in [1, inf) = 5   false positives that a topic must have
-- columns: evaluation_id, qrels_id, run_id
--   k                  false positives
--   weight             weight of the topic
--   comparison_score   the worst score down to the k-th false positive, as the tie rule compares it: a threshold must
--                      let all of them pass; null where the ranking has fewer false positives
with relevant_above as (
    select
        evaluation_id,
        given_values.value as k,
        count(*) as num_rel
    from relevant_ranks(rel := $rel)
    join given_values(given := $k) as given_values on rank - relevant_rank < given_values.value
    group by evaluation_id, given_values.value
),
kth as (
    -- Above the k-th stand the k - 1 others and the relevant documents with fewer than k false positives above them.
    select
        evaluations.evaluation_id,
        evaluations.run_id,
        evaluations.topic_id,
        given_values.value as k,
        given_values.value + coalesce(relevant_above.num_rel, 0) as rank
    from asked_evaluations() as evaluations
    cross join given_values(given := $k) as given_values
    left join relevant_above
        on relevant_above.evaluation_id = evaluations.evaluation_id
        and relevant_above.k = given_values.value
),
scores as (
    select
        kth.evaluation_id,
        kth.k,
        min(comparison_score(retrieved.score, runs.tie_rule, runs.lower_is_better)) as comparison_score
    from kth
    join runs using (run_id)
    join asked_retrieved() as retrieved
        on retrieved.run_id = kth.run_id
        and retrieved.topic_id = kth.topic_id
        and retrieved.rank <= kth.rank
    -- In a ranking by score the score at that rank is the worst. In an order of its own one further up may be worse.
    where
        retrieved.rank = kth.rank
        or runs.tie_rule in ('rank', 'input')
    group by kth.evaluation_id, kth.k, kth.rank
    -- A ranking that ends above that rank has fewer false positives.
    having max(retrieved.rank) = kth.rank
)
select
    weights.evaluation_id,
    weights.qrels_id,
    weights.run_id,
    given_values.value as k,
    weights.weight,
    scores.comparison_score
from evaluated_weights(weighted := $weighted) as weights
cross join given_values(given := $k) as given_values
left join scores
    on scores.evaluation_id = weights.evaluation_id
    and scores.k = given_values.value

-- title: The score of each topic's k-th false positive, a candidate for the threshold at which TAP cuts the run
-- parameters: k, rel
--   k integer in [1, inf) = 5   false positives that a topic must show
-- columns:
--   evaluation_id      key of the evaluation; there is no row where the ranking shows fewer false positives
--   k                  false positives
--   comparison_score   what the tie rule compares of the weakest document down to the k-th false positive, since a
--                      threshold must let all of them pass
select
    last_ranks.evaluation_id,
    last_ranks.k,
    min(comparison_score(retrieved.score, runs.tie_rule, runs.lower_is_better)) as comparison_score
from false_positive_ranks(k := $k, rel := $rel) as last_ranks
join runs on runs.run_id = last_ranks.run_id
join asked_retrieved() as retrieved
    on retrieved.run_id = last_ranks.run_id
    and retrieved.topic_id = last_ranks.topic_id
    and retrieved.rank <= last_ranks.rank
where
    retrieved.rank = last_ranks.rank
    or runs.tie_rule not in ('trec_eval', 'trec_eval_10')
group by last_ranks.evaluation_id, last_ranks.k, last_ranks.rank
having max(retrieved.rank) = last_ranks.rank

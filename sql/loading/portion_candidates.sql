-- title: What a portion has of each run for the threshold of TAP: how much its topics weigh at each candidate
-- parameters: k, rel, weighted
--   k integer in [1, inf) = 5   false positives that a topic must have
-- definition: A topic has one candidate, its k-th false positive, so that these are never more rows than topics, nor
--    more than the k-th part of the rows of a portion and one.
-- columns:
--   run                name of the run
--   k                  false positives
--   rel                least grade that counts as relevant
--   quantile           null: candidates do not hang on it
--   weighted           whether the weights of topics count
--   weight             weight of the topics with this candidate
--   comparison_score   the candidate as the tie rule compares it; null for the topics without one
select
    runs.run,
    candidates.k,
    $rel as rel,
    cast(null as double) as quantile,
    $weighted as weighted,
    sum(candidates.weight) as weight,
    candidates.comparison_score
from tap_candidates(k := $k, rel := $rel, weighted := $weighted) as candidates
join runs using (run_id)
group by runs.run, candidates.k, candidates.comparison_score

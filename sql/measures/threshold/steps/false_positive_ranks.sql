-- title: Rank of the k-th false positive of each ranking
-- parameters: k, rel
--   k integer in [1, inf) = 5   false positives
-- columns: evaluation_id, run_id, topic_id
--   k      false positives
--   rank   rank of the k-th document that is not relevant, judged or not; greater than the last rank of a
--          ranking that has fewer
with relevant_above as (
    select
        evaluation_id,
        given_values.value as k,
        count(*) as num_rel
    from relevant_ranks(rel := $rel)
    join given_values(given := $k) as given_values on rank - relevant_rank < given_values.value
    group by evaluation_id, given_values.value
)
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

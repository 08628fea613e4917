-- title: How many of their first documents two runs share, topic by topic
-- parameters: k, baseline, run
--   k integer? in [1, inf) = 10   documents taken of each ranking; null is all
--   baseline varchar = null   run compared with; null: every run
-- columns: baseline, run
--   topic         topic that either has documents for
--   baseline_ret  documents taken of the baseline, k at most; 0 for a topic it leaves out
--   num_ret       documents taken of the run
--   num_common    documents taken of both
--   overlap       share of the longer of the two lists that is common, of k where either run has so many
--   jaccard       share common of all documents taken of either
-- definition: Sizes of the intersection of the first k documents of both, over k, and over the size of their union.
--     Rankings are total orders under the tie rule that the run was loaded with.
-- reference: Jaccard 1901, doi:10.5169/seals-266450
with counted as (
    select
        baseline_id,
        run_id,
        topic_id,
        baseline_ret,
        num_ret,
        count(place) as num_common
    from compared_lists(baseline := $baseline, run := $run, depth := $k)
    group by baseline_id, run_id, topic_id, baseline_ret, num_ret
)
select
    base.run as baseline,
    other.run,
    topics.topic,
    counted.baseline_ret,
    counted.num_ret,
    counted.num_common,
    counted.num_common / greatest(counted.baseline_ret, counted.num_ret) as overlap,
    counted.num_common / (counted.baseline_ret + counted.num_ret - counted.num_common) as jaccard
from counted
join runs as base on base.run_id = counted.baseline_id
join runs as other on other.run_id = counted.run_id
join topics on topics.topic_id = counted.topic_id

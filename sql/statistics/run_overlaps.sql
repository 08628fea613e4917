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
with common_counts as (
    select
        common_documents.baseline_id,
        common_documents.run_id,
        common_documents.topic_id,
        count(*) as num_common
    from common_documents(baseline := $baseline, run := $run, depth := $k) as common_documents
    group by
        common_documents.baseline_id,
        common_documents.run_id,
        common_documents.topic_id
),
counted as (
    select
        lists.baseline as baseline_name,
        lists.run as other_name,
        lists.topic_id,
        lists.baseline_ret,
        lists.num_ret,
        coalesce(common_counts.num_common, 0) as num_common
    from compared_lists(baseline := $baseline, run := $run, depth := $k) as lists
    left join common_counts
        on common_counts.baseline_id = lists.baseline_id
        and common_counts.run_id = lists.run_id
        and common_counts.topic_id = lists.topic_id
),
-- A row that no filter leaves out: whatever is read of it is the error.
unknown as (
    select error('baseline is ' || asked.baseline || ', and no run is called so') as told
    from (select $baseline as baseline) as asked
    where asked.baseline not in (select runs.run from runs)
)
select
    counted.baseline_name as baseline,
    counted.other_name as run,
    topics.topic,
    counted.baseline_ret,
    counted.num_ret,
    counted.num_common,
    counted.num_common / greatest(counted.baseline_ret, counted.num_ret) as overlap,
    counted.num_common / (counted.baseline_ret + counted.num_ret - counted.num_common) as jaccard
from counted
join topics on topics.topic_id = counted.topic_id
union all
select
    cast(unknown.told as varchar),
    cast(unknown.told as varchar),
    cast(unknown.told as varchar),
    cast(unknown.told as integer),
    cast(unknown.told as integer),
    cast(unknown.told as bigint),
    cast(unknown.told as double),
    cast(unknown.told as double)
from unknown

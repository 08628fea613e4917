-- title: How many of their first documents two runs share, topic by topic
-- parameters:
--   k integer in [1, inf) = 10   documents taken of each ranking; null is all
--   run varchar = null     one of the runs; null: every run
--   other varchar = null   the other; null: every other run. Where neither is given every pair comes once
-- columns:
--   run          run
--   other        run compared with it
--   topic        topic that either has documents for
--   num_ret      documents taken of the run, k at most; 0 for a topic it leaves out
--   other_ret    documents taken of the other run
--   num_common   documents taken of both
--   overlap      share of the longer of the two lists that is common, of k where either run has so many
--   jaccard      share common of all documents taken of either
-- definition: Sizes of the intersection of the first k documents of both, over k, and over the size of their union.
--     Rankings are total orders under the tie rule that the run was loaded with.
-- reference: Jaccard 1901, doi:10.5169/seals-266450
with common_counts as (
    select
        common_documents.run_id,
        common_documents.other_id,
        common_documents.topic_id,
        count(*) as num_common
    from common_documents(run := $run, other := $other, depth := $k) as common_documents
    group by
        common_documents.run_id,
        common_documents.other_id,
        common_documents.topic_id
),
counted as (
    select
        lists.run as name,
        lists.other as other_name,
        lists.topic_id,
        lists.num_ret,
        lists.other_ret,
        coalesce(common_counts.num_common, 0) as num_common
    from compared_lists(run := $run, other := $other, depth := $k) as lists
    left join common_counts
        on common_counts.run_id = lists.run_id
        and common_counts.other_id = lists.other_id
        and common_counts.topic_id = lists.topic_id
)
select
    counted.name as run,
    counted.other_name as other,
    topics.topic,
    counted.num_ret,
    counted.other_ret,
    counted.num_common,
    cast(counted.num_common as double) / greatest(counted.num_ret, counted.other_ret) as overlap,
    cast(counted.num_common as double) / (counted.num_ret + counted.other_ret - counted.num_common) as jaccard
from counted
join topics on topics.topic_id = counted.topic_id

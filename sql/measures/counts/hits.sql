-- measure: Hits
-- title: Number of relevant documents at a cutoff
-- parameters: k, rel, ties
-- definition: Relevant documents among the first k.
-- reference: Bassani 2022, ranx: a blazing-fast Python library for ranking evaluation and comparison,
--    doi:10.1007/978-3-030-99739-7_30
-- differs: Equal to ranx. NumRelRet is the sum over topics of what this averages.
-- range: 0 inf
-- mean: arithmetic
-- holes: filled_ranks to k, added up
-- scores: no
-- example: user-models Hits = 2
-- example: user-models Hits@2 = 1
with found as (
    select
        evaluation_id,
        cutoffs.last_rank,
        sum(share) as num_rel_ret
    from relevant_ranks(rel := $rel, ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(found.num_rel_ret, 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join found using (evaluation_id, last_rank)

-- measure: Success
-- title: Success at a cutoff
-- aliases: S, S1(k=1), S5(k=5), S10(k=10), hit_rate
-- trec_eval: success.k = 1,5,10
-- parameters: k = 10, rel, judged_only, ties
-- definition: 1 if a relevant document is among the first k, else 0.
-- reference: Tomlinson 2005, First Relevant Score, poster at TREC 2005
-- differs: Equal to trec_eval 9.0.8 and 10.0; ranx calls it hit_rate, which takes the whole ranking by default.
-- range: 0 1
-- mean: arithmetic
-- holes: filled_ranks to k, first found
-- example: single-value-2 Success@2 = 0
-- example: single-value-2 Success@3 = 1
with found as (
    select
        evaluation_id,
        cutoffs.last_rank,
        sum(share) as total
    from first_relevant(rel := $rel, judged_only := $judged_only, ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(found.total, 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join found using (evaluation_id, last_rank)

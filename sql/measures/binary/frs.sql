-- measure: FRS
-- title: First relevant score
-- aliases: first_relevant_score, GS10, GS30(base=1.024)
-- parameters: base, rel, judged_only, ties
--   base double in (1, inf) = 1.08  discount per rank; 1.08 makes it a smooth Success@10, 1.024 a smooth
--    Success@30
-- definition: base^(1 - r), r being the rank of the first relevant document; 0 if none is retrieved.
-- reference: Tomlinson 2005, First Relevant Score, poster at TREC 2005
-- differs: No other program computes it. With another base it is a smooth Success at another cutoff.
-- range: 0 1
-- mean: arithmetic
-- holes: filled_ranks, first found
-- example: first-relevant-score FRS = 0.4964
with found as (
    select
        evaluation_id,
        fsum(share * pow($base, 1 - rank)) as total
    from first_relevant(rel := $rel, judged_only := $judged_only, ties := $ties)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(found.total, 0) as value
from evaluated_topics
left join found using (evaluation_id)

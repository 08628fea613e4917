-- measure: UnitR
-- title: Recall by characters, tokens, lines or pages
-- parameters: k, rel
-- definition: Units that relevant judged spans cover and the first k retrieved spans too, divided by the units that
--    relevant spans cover, each unit of a document counted once; 0 if there are none.
-- reference: Kamps et al. 2008, INEX 2007 Evaluation Measures; Smith and Troynikov 2024, Evaluating Chunking Strategies for
--    Retrieval, Chroma technical report
-- differs: Counts retrieved spans in k.
-- range: 0 1
-- mean: arithmetic
-- holes: none, a hole may hold any spans
-- scores: no
-- example: spans UnitR@2 = 0.5
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(unit_counts.num_both / nullif(unit_counts.num_judged, 0), 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
join unit_counts(k := $k, rel := $rel) as unit_counts
    on unit_counts.evaluation_id = evaluated_topics.evaluation_id
    and unit_counts.last_rank = cutoffs.last_rank

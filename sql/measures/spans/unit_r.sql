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
    qrels,
    run,
    topic,
    unit_counts.k,
    coalesce(num_both / nullif(num_judged, 0), 0) as value
from unit_counts(k := $k, rel := $rel) as unit_counts

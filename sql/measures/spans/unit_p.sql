-- measure: UnitP
-- title: Precision by characters, tokens, lines or pages
-- parameters: k, rel
-- definition: Units that relevant judged spans cover and the first k retrieved spans too, divided by the units that the
--    first k retrieved spans cover, each unit of a document counted once; 0 if nothing is retrieved.
-- reference: Kamps et al. 2008, INEX 2007 Evaluation Measures; Smith and Troynikov 2024, Evaluating Chunking Strategies for
--    Retrieval, Chroma technical report
-- differs: A ranking shorter than k is divided by what it covers, not by what k spans would.
-- range: 0 1
-- mean: arithmetic
-- holes: none, a hole may hold any spans
-- scores: no
-- example: spans UnitP@2 = 0.7
select
    qrels,
    run,
    topic,
    unit_counts.k,
    coalesce(num_both / nullif(num_retrieved, 0), 0) as value
from unit_counts(k := $k, rel := $rel) as unit_counts

-- measure: UnitIoU
-- title: Intersection over union by characters, tokens, lines or pages
-- parameters: k, rel
-- definition: Units that relevant judged spans cover and the first k retrieved spans too, divided by the units that
--    either cover, each unit of a document counted once; 0 if there are none.
-- reference: Smith and Troynikov 2024, Evaluating Chunking Strategies for Retrieval, Chroma technical report; Jaccard 1901
-- differs: The report adds up what several retrieved spans cover as often as they do; here it counts once.
-- range: 0 1
-- mean: arithmetic
-- holes: none, a hole may hold any spans
-- scores: no
-- example: spans UnitIoU@2 = 0.4118
select
    qrels,
    run,
    topic,
    unit_counts.k,
    coalesce(num_both / nullif(num_judged + num_retrieved - num_both, 0), 0) as value
from unit_counts(k := $k, rel := $rel) as unit_counts

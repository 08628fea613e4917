-- measure: CitationPrecision
-- title: How far the documents that an answer cites support the sentences that cite them
-- aliases: weighted_precision
-- definition: Mean over the citations of an answer of 1 where the document supports the sentence in full, 0.5 where in
--    part and 0 where not; 0 without a citation, and without an answer.
-- reference: Thakur et al. 2025, Support evaluation for the TREC 2024 RAG track, arXiv:2504.15205, section 3.4
-- differs: The track judges the first citation of each sentence alone (section 3.3), so that its mean is over the sentences
--    that cite; here all citations that are loaded count alike. It says nothing of an answer without citations.
-- range: 0 1
-- mean: arithmetic
-- holes: none, citations are judged by themselves
-- scores: no
-- example: nuggets CitationPrecision = 0.25
select
    qrels,
    run,
    topic,
    coalesce(total_support / nullif(num_citations, 0), 0) as value
from citation_counts

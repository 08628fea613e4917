-- measure: CitationRecall
-- title: How far the sentences of an answer are supported by documents that they cite
-- aliases: weighted_recall
-- definition: Mean over the sentences of an answer of 1 where a document that they cite supports them in full, 0.5
--    where at best in part, and 0 where none does or none is cited; 0 without an answer.
-- reference: Thakur et al. 2025, Support evaluation for the TREC 2024 RAG track, arXiv:2504.15205, section 3.4
-- differs: The track judges the first citation of each sentence alone (section 3.3); here the best that is loaded counts.
-- range: 0 1
-- mean: arithmetic
-- holes: none, citations are judged by themselves
-- scores: no
-- example: nuggets CitationRecall = 0.22222
select
    qrels,
    run,
    topic,
    coalesce(total_supported / nullif(num_sentences, 0), 0) as value
from citation_counts

-- measure: WeightedScore
-- title: Share of the weights of all nuggets that the answer holds, those in part as a half
-- aliases: weighted_score
-- definition: Vital nuggets weigh 1 and okay ones 0.5. The weights of the nuggets that the answer supports,
--    and half of the weights of those that it supports in part, divided by the weights of all nuggets of the
--    topic; 0 without an answer.
-- reference: Pradeep et al. 2024, Initial nugget evaluation results for the TREC 2024 RAG track, arXiv:2411.09607
-- differs: W in the reference; nuggetizer does not have it.
-- range: 0 1
-- mean: arithmetic
-- holes: none, answers are judged by their nuggets
-- scores: no
-- example: nuggets WeightedScore = 0.38095
select
    qrels,
    run,
    topic,
    (vital_full + 0.5 * vital_partly + 0.5 * (okay_full + 0.5 * okay_partly)) / (num_vital + 0.5 * num_okay) as value
from nugget_counts

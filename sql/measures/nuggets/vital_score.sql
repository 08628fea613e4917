-- measure: VitalScore
-- title: Share of the vital nuggets that the answer holds, those in part as a half
-- aliases: vital_score
-- definition: Vital nuggets that the answer supports, and half of those that it supports in part, divided by
--    the vital nuggets of the topic; 0 if it has none, and without an answer.
-- reference: Pradeep et al. 2024, Initial nugget evaluation results for the TREC 2024 RAG track, arXiv:2411.09607
-- differs: Equal to nuggetizer 0.0.5's vital_score, which leaves topics without an answer out of the mean.
-- range: 0 1
-- mean: arithmetic
-- holes: none, answers are judged by their nuggets
-- scores: no
-- example: nuggets VitalScore = 0.25
select
    qrels,
    run,
    topic,
    coalesce((vital_full + 0.5 * vital_partly) / nullif(num_vital, 0), 0) as value
from nugget_counts

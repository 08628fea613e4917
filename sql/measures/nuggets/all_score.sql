-- measure: AllScore
-- title: Share of all nuggets that the answer holds, those in part as a half
-- aliases: all_score
-- definition: Nuggets that the answer supports, and half of those that it supports in part, divided by the
--    nuggets of the topic; 0 without an answer.
-- reference: Pradeep et al. 2024, Initial nugget evaluation results for the TREC 2024 RAG track, arXiv:2411.09607
-- differs: Equal to nuggetizer 0.0.5's all_score, which leaves topics without an answer out of the mean.
-- range: 0 1
-- mean: arithmetic
-- holes: none, answers are judged by their nuggets
-- scores: no
-- example: nuggets AllScore = 0.36667
select
    qrels,
    run,
    topic,
    (vital_full + okay_full + 0.5 * (vital_partly + okay_partly)) / (num_vital + num_okay) as value
from nugget_counts

-- measure: StrictAllScore
-- title: Share of all nuggets that the answer holds in full
-- aliases: strict_all_score
-- definition: Nuggets that the answer supports in full, divided by the nuggets of the topic; 0 without an
--    answer.
-- reference: Pradeep et al. 2024, Initial nugget evaluation results for the TREC 2024 RAG track, arXiv:2411.09607
-- differs: Equal to nuggetizer 0.0.5's strict_all_score, which leaves topics without an answer out of the mean.
-- range: 0 1
-- mean: arithmetic
-- holes: none, answers are judged by their nuggets
-- scores: no
-- example: nuggets StrictAllScore = 0.3
select
    qrels,
    run,
    topic,
    (vital_full + okay_full) / (num_vital + num_okay) as value
from nugget_counts

-- title: The mean of every measure over the topics of the judgments
-- inputs: mean_values
-- columns: qrels, run, measure
--   value        mean over the topics; for counts the sum, for measures that say so the geometric mean or that by the
--                topics' weights
--   num_topics   topics averaged
select
    qrels,
    run,
    measure,
    value,
    num_topics
from mean_values

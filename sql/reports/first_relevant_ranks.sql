-- title: The rank of the first relevant document of each run and topic
-- columns: qrels, run
--   topic   topic of the judgment set
--   rank    rank of the first document with a grade of 1 or more; null where none is retrieved
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    judged_ranks.rank
from evaluated_topics
left join asked_ranks() as judged_ranks
    on judged_ranks.evaluation_id = evaluated_topics.evaluation_id
    and judged_ranks.relevant_rank = 1

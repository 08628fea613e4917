-- title: Topics of the judgments or of a baseline for which the candidate of a gate has no documents
-- inputs: candidate_topics, baseline_topics
-- columns: topic
select candidate_topics.topic
from candidate_topics
where candidate_topics.missing
union all
select baseline_topics.topic
from baseline_topics
left join candidate_topics on candidate_topics.topic = baseline_topics.topic
where candidate_topics.topic is null

-- title: The rankings that are cut: how they are ordered, and whether they leave their topic out
-- inputs: chosen_lists
-- columns:
--   list              name of the list
--   qrels_id          key of the judgment set
--   topic_id          key of the topic
--   tie_rule          how documents are ordered
--   lower_is_better   whether smaller scores are the better ones
--   missing           whether the run leaves the topic out
select
    chosen_lists.list,
    chosen_lists.qrels_id,
    chosen_lists.topic_id,
    runs.tie_rule,
    runs.lower_is_better,
    run_topics.run_id is null as missing
from chosen_lists
join runs on runs.run_id = chosen_lists.run_id
left join run_topics
    on run_topics.run_id = chosen_lists.run_id
    and run_topics.topic_id = chosen_lists.topic_id

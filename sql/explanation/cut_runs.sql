-- title: Cut lists as the base table runs has whole ones
-- inputs: cut_lists, list_facts
-- columns:
--   run_id            key of the cut list
--   run               its name
--   tie_rule          how its documents are ordered
--   lower_is_better   whether smaller scores are the better ones
--   num_tags          0: there is no file
--   duplicates        0
--   comments          empty
--   meta              empty
--   loaded_at         the beginning of time
--   evalsql_version   empty
select distinct
    cut_lists.run_id,
    cut_lists.run,
    list_facts.tie_rule,
    list_facts.lower_is_better,
    0 as num_tags,
    0 as duplicates,
    '' as comments,
    map([], []) as meta,
    timestamp '1970-01-01' as loaded_at,
    '' as evalsql_version
from cut_lists
join list_facts using (list)

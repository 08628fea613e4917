-- title: The call that found each document first, of explained rankings that are made of calls
-- inputs: chosen_lists
-- columns:
--   list       name of the list
--   document   document
--   call       place of the call among those of the topic
select
    chosen_lists.list,
    documents.document,
    min(call_ranks.call) as call
from chosen_lists
join call_ranks using (run_id, topic_id)
join documents using (document_id)
group by chosen_lists.list, documents.document

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
join call_ranks
    on call_ranks.run_id = chosen_lists.run_id
    and call_ranks.topic_id = chosen_lists.topic_id
join documents on documents.document_id = call_ranks.document_id
group by chosen_lists.list, documents.document
